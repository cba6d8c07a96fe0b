import { expect, test } from 'vitest';

import { derivedFiles, outdated } from '../infra/generate.ts';

test('every derived file is what `npm run generate` writes', async () => {
  const files = await derivedFiles();
  expect(files.size).toBeGreaterThan(2);
  expect(outdated(files)).toEqual([]);
});
