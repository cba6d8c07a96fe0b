// A reader and a writer of a schema's values, made from the schema as JavaScript text. Written out like this, every field by its
// name, an object is built and read at full speed: a loop over the fields takes twice as long, and a copy of the schema by hand
// would have to be kept up. avsc does the same, but its writer takes four times as long for a ladder, and its reader trusts the
// lengths that it reads; here the AvroReader checks every step.

import type { AvroReader } from './avro-reader.ts';
import type { AvroWriter } from './avro-writer.ts';
import type { AvroField, AvroObject, AvroSchema } from './schemas.ts';

export type Compiled = {
  /** Plain objects under the schema's own field names. */
  readonly read: (reader: AvroReader) => unknown;
  /** Throws at a value that does not fit. */
  readonly write: (writer: AvroWriter, value: unknown) => void;
};

/** A field of every value that is not in the bytes, and whether it stands before or behind those that are. */
export type ConstantField = {
  readonly name: string;
  readonly value: string;
  readonly place: 'first' | 'last';
};

export function compile(schema: AvroSchema, constant?: ConstantField): Compiled {
  const compiler = new Compiler();
  const part = compiler.part(schema, '');
  let { read } = part;
  if (constant) {
    const field = `${keyOf(constant.name)}:${JSON.stringify(constant.value)}`;
    read = constant.place === 'first' ? `{${field},${read.slice(1)}` : `${read.slice(0, -1)},${field}}`;
  }
  return compiler.build(read, part.write('v'));
}

/** Source text, over the reader `r`, the writer `w` and the constants of the compiler. */
type Part = {
  readonly read: string;
  readonly write: (value: string) => string;
  /** Fewest bytes that a value takes. */
  readonly smallest: number;
};

const primitive = (type: string, smallest: number): Part => ({
  read: `r.${type}()`,
  write: (value) => `w.${type}(${value});`,
  smallest,
});

/** The events' schemas have none of these; other schemas under their names are read only. */
const readOnly = (read: string, smallest: number): Part => ({
  read,
  write: () => `throw new TypeError('this kind of value cannot be written');`,
  smallest,
});

const PRIMITIVES: Readonly<Record<string, Part>> = {
  null: { read: 'null', write: () => '', smallest: 0 },
  boolean: primitive('boolean', 1),
  int: primitive('int', 1),
  long: primitive('long', 1),
  string: primitive('string', 1),
  bytes: primitive('bytes', 1),
  float: readOnly('r.float()', 4),
  double: readOnly('r.double()', 8),
};

class Compiler {
  private readonly constants: unknown[] = [];
  private readonly functions: string[] = [];
  private readonly named = new Map<string, Part>();

  build(read: string, write: string): Compiled {
    const source = `${this.functions.join('')}return{read:(r)=>(${read}),write:(w,v)=>{${write}}};`;
    const names = this.constants.map((_, index) => `c${index}`);
    // oxlint-disable-next-line typescript/no-implied-eval -- names and symbols of the schema stand in it as JSON only
    return new Function(...names, source)(...this.constants) as Compiled;
  }

  part(schema: AvroSchema, namespace: string): Part {
    if (typeof schema === 'string') {
      const found =
        PRIMITIVES[schema] ?? this.named.get(schema) ?? this.named.get(`${namespace}.${schema}`);
      if (!found) throw new TypeError(`unknown Avro type ${schema}`);
      return found;
    }
    if (Array.isArray(schema)) return this.union(schema.map((branch) => this.part(branch, namespace)));
    switch (schema.type) {
      case 'record':
        return this.record(schema, namespace);
      case 'enum':
        return this.define(schema, namespace, this.enumeration(schema['symbols'] as readonly string[]));
      case 'fixed':
        return this.define(schema, namespace, fixed(Number(schema['size'])));
      case 'array':
        return this.array(this.part(schema['items'] as AvroSchema, namespace));
      case 'map':
        return this.map(this.part(schema['values'] as AvroSchema, namespace));
      default:
        // {"type": "long", "logicalType": …} and other wrappings: the plain type.
        return this.part(schema.type, namespace);
    }
  }

  private define(schema: AvroObject, outer: string, part: Part): Part {
    const name = String(schema['name']);
    const namespace = namespaceOf(schema, outer);
    this.named.set(name.includes('.') || namespace === '' ? name : `${namespace}.${name}`, part);
    return part;
  }

  private record(schema: AvroObject, outer: string): Part {
    const namespace = namespaceOf(schema, outer);
    const fields = (schema['fields'] as readonly AvroField[]).map(({ name, type }) => ({
      name,
      ...this.part(type, namespace),
    }));
    return this.define(schema, outer, {
      // Members of a literal are evaluated in their order, which is that of the bytes.
      read: `{${fields.map(({ name, read }) => `${keyOf(name)}:${read}`).join()}}`,
      write: (value) =>
        fields.map(({ name, write }) => write(`${value}[${JSON.stringify(name)}]`)).join(''),
      smallest: fields.reduce((sum, { smallest }) => sum + smallest, 0),
    });
  }

  private enumeration(symbols: readonly string[]): Part {
    const constant = this.constant(symbols);
    return {
      read: `${constant}[r.index(${symbols.length},'enum symbol')]`,
      write: (value) => `w.symbol(${constant},${value});`,
      smallest: 1,
    };
  }

  private union(branches: readonly Part[]): Part {
    const [first, second] = branches;
    if (branches.length === 2 && first === PRIMITIVES['null'])
      return {
        read: `(r.index(2,'union branch')===0?null:${second!.read})`,
        write: (value) => `if(${value}==null)w.byte(0);else{w.byte(2);${second!.write(value)}}`,
        smallest: 1,
      };
    const readers = branches.map(({ read }) => this.function(`(r)=>(${read})`));
    return readOnly(`[${readers.join()}][r.index(${branches.length},'union branch')](r)`, 1);
  }

  private array(item: Part): Part {
    // Ladders: no call for each number.
    if (item === PRIMITIVES['long']) return primitive('longs', 1);
    return this.blocks('array', item, item.smallest);
  }

  private map(item: Part): Part {
    return this.blocks('map', item, item.smallest + 1);
  }

  private blocks(kind: 'array' | 'map', item: Part, smallest: number): Part {
    const read = this.function(`(r)=>(${item.read})`);
    const write = this.function(`(w,v)=>{${item.write('v')}}`);
    return {
      read: `r.${kind}(${smallest},${read})`,
      write: (value) => `w.${kind}(${value},${write});`,
      smallest: 1,
    };
  }

  private constant(value: unknown): string {
    return `c${this.constants.push(value) - 1}`;
  }

  private function(source: string): string {
    const name = `f${this.functions.length}`;
    this.functions.push(`const ${name}=${source};`);
    return name;
  }
}

const fixed = (size: number): Part => readOnly(`r.take(${size})`, size);

/** As a plain key of a literal, `__proto__` would be the prototype. */
const keyOf = (name: string): string =>
  name === '__proto__' ? `[${JSON.stringify(name)}]` : JSON.stringify(name);

const namespaceOf = (schema: AvroObject, outer: string): string => {
  const name = String(schema['name']);
  if (name.includes('.')) return name.slice(0, name.lastIndexOf('.'));
  return typeof schema['namespace'] === 'string' ? schema['namespace'] : outer;
};
