// What a setting is: where it is set, how its text is read, what it means.

export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fix: string };

export type Setting<T> = {
  readonly env: string;
  readonly flag?: string;
  readonly default: T;
  readonly parse: (text: string) => Parsed<T>;
  readonly doc: string;
  /** Never printed, never logged. */
  readonly secret?: true;
};

/** A setting of a venue: its environment variable follows from the venue's name and its own. */
export type VenueSetting<T> = Omit<Setting<T>, 'env' | 'flag'> & {
  /** The setting names a file; whoever plans the collection gets the file's text instead, under this name. */
  readonly textAs?: string;
};
export type VenueSettings = Readonly<Record<string, VenueSetting<unknown>>>;

/** The value of each setting, and the texts of the files that some of them name. */
export type SettingValues<S extends VenueSettings> = {
  readonly [K in keyof S]: S[K] extends VenueSetting<infer T> ? T : never;
};

/** Values as they are when nobody sets anything. */
export const defaultValues = <S extends VenueSettings>(settings: S): SettingValues<S> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, setting.default]),
  ) as SettingValues<S>;

/** venuea and restUrl: `venueaRestUrl` in the file and LADDERLOG_VENUEA_REST_URL in the environment. */
export const venueSettingName = (venue: string, name: string): string =>
  `${venue}${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
export const venueSettingEnv = (venue: string, name: string): string =>
  `LADDERLOG_${venue.toUpperCase()}_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
