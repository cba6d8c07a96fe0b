// What the read-only SQL front lets through. The engine's readonly=1 stops writes, settings and most table functions, but was
// seen to allow the scalar function file(), INTO OUTFILE and KILL: these are stopped here. All of it is about a statement as the
// engine itself writes it (formatQuerySingleLine): without comments, and with one way to quote.

export type Token = { readonly kind: 'name' | 'text' | 'sign'; readonly value: string };

const TOKEN = /'[^'\\]*(?:\\[^][^'\\]*)*'|`[^`\\]*(?:\\[^][^`\\]*)*`|"[^"\\]*(?:\\[^][^"\\]*)*"|\w+|[^\s\w]/g;

export function tokenize(sql: string): Token[] {
  return (sql.match(TOKEN) ?? []).map((found): Token => {
    if (/^\w/.test(found)) return { kind: 'name', value: found };
    if (found.length < 2) return { kind: 'sign', value: found };
    const value = found.slice(1, -1).replace(/\\([^])/g, '$1');
    return { kind: found.startsWith("'") ? 'text' : 'name', value };
  });
}

const READING = new Set(['select', 'with', 'show', 'describe', 'desc', 'explain', 'exists']);

/** Functions and table functions that reach outside the database. As any name in a query: APPLY(file) is a call as well. */
const REACHING_OUT =
  /^(file|filesystem|url|s3|gcs|oss|cosn|hdfs|azureblobstorage|remote|remotesecure|mysql|postgresql|mongodb|redis|sqlite|odbc|jdbc|executable|executablepool|input|iceberg\w*|paimon\w*|deltalake\w*|hudi\w*|python|catboostevaluate|arrowflight|ytsaurus|prometheus\w*|fileinput|(file|url|s3|hdfs|azureblobstorage|remote)cluster|cluster|clusterallreplicas|eval|ai(classify|embed|extract|generate|translate))$/;

/** Whether the statement has an answer, whose format may be chosen. */
export function isReading(sql: string): boolean {
  const first = tokenize(sql).find(({ value }) => value !== '(');
  return first?.kind === 'name' && READING.has(first.value.toLowerCase());
}

/** Why the statement is refused; null: it is not. */
export function objectionTo(sql: string): string | null {
  if (!isReading(sql)) return 'only SELECT, WITH, SHOW, DESCRIBE, EXPLAIN and EXISTS are allowed here';
  const tokens = tokenize(sql);
  for (const [at, { kind, value }] of tokens.entries()) {
    if (kind !== 'name') continue;
    const name = value.toLowerCase();
    if (REACHING_OUT.test(name)) return `${value} reaches outside the database and is not allowed here`;
    if (name === 'outfile' && tokens[at - 1]?.value.toLowerCase() === 'into')
      return 'INTO OUTFILE is not allowed here';
  }
  return null;
}

/** The format a statement asks for itself, at its end or before its settings. */
export function formatOf(sql: string): string | null {
  const tokens = tokenize(sql);
  const is = (at: number, word: string): boolean =>
    tokens[at]?.kind === 'name' && tokens[at].value.toLowerCase() === word;
  const at = tokens.findLastIndex(
    ({ kind }, index) =>
      kind === 'name' &&
      is(index - 1, 'format') &&
      (index === tokens.length - 1 || is(index + 1, 'settings')),
  );
  return tokens[at]?.value ?? null;
}
