// The contract as YAML for people: what is short stands on one line.

import { Document, isCollection, visit } from 'yaml';
import type { OpenApiDocument } from './document.ts';

const ONE_LINE = 100;

export function documentText(document: OpenApiDocument): string {
  // Readers of YAML 1.1 (Python's) take an unquoted time or yes for something else than text.
  const yaml = new Document(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(yaml, {
    Collection(_key, node) {
      if (!isCollection(node)) return undefined;
      const text = JSON.stringify(node);
      node.flow = text.length <= ONE_LINE && !text.includes('\\n');
      // What is inside a line is on that line too.
      return node.flow ? visit.SKIP : undefined;
    },
  });
  return yaml.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: true });
}
