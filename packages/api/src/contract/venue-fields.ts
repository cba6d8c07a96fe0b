// The fields of records that not every venue has, as its record style says: ids under its own names, and its two bid sides.

import type { RecordStyle, Schema, VenueAdapter } from '@ladderlog/core';

type Schemas = Readonly<Record<string, Schema>>;

/** The schemas with the fields that any venue adds to them. */
export function withVenueFields(schemas: Schemas, adapters: readonly VenueAdapter[]): Schemas {
  const added = (schema: Schema, fieldsOf: (style: RecordStyle) => Schemas, described = true): Schema => {
    const properties: Record<string, Schema> = { ...(schema['properties'] as Schemas) };
    for (const { record, routes } of adapters)
      for (const [name, field] of Object.entries(fieldsOf(record))) {
        const description = described ? routes.fieldTexts[name] : undefined;
        properties[name] = description === undefined ? field : { ...field, description };
      }
    return { ...schema, properties };
  };
  const book = added(schemas['BookRecord']!, idFields, false);
  const fields = book['properties'] as Schemas;
  return {
    ...schemas,
    Market: added(schemas['Market']!, idFields),
    ArrayLadders: added(schemas['ArrayLadders']!, arrayFields),
    LevelLadders: added(schemas['LevelLadders']!, levelFields),
    BookRecord: { ...book, properties: { ...fields, levels: added(fields['levels']!, countFields) } },
  };
}

const idFields = ({ idNames }: RecordStyle): Schemas =>
  Object.fromEntries(
    idNames.map(({ name, id }) => [name, { type: id === 'market' ? 'string' : ['string', 'null'] }]),
  );

const ofBothSides = (style: RecordStyle, suffixes: readonly string[], field: Schema): Schemas =>
  Object.fromEntries(
    Object.values(style.twoBidSides ?? {}).flatMap((side) =>
      suffixes.map((suffix) => [`${side}${suffix}`, field]),
    ),
  );

const listOf = ({ levelsShown }: RecordStyle, items: Schema): Schema => ({
  type: 'array',
  ...(levelsShown === null ? {} : { maxItems: levelsShown }),
  items,
});

const arrayFields = (style: RecordStyle): Schemas =>
  ofBothSides(style, ['_prices', '_sizes'], listOf(style, { type: 'number' }));

const levelFields = (style: RecordStyle): Schemas =>
  ofBothSides(style, [''], listOf(style, { $ref: '#/components/schemas/Level' }));

const countFields = (style: RecordStyle): Schemas => ofBothSides(style, [''], { type: 'integer' });
