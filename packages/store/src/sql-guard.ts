// What the read-only SQL front lets through. The engine's readonly=1 stops writes, settings and most table functions, but was
// seen to allow the scalar function file(), INTO OUTFILE and KILL: these are stopped here, on tokens, not on raw text.

export type Token = { readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'sign'; readonly value: string };

/** ClickHouse tokens, comments and spaces dropped. Null when a quote or comment never ends. */
export function tokenize(sql: string): Token[] | null {
  const tokens: Token[] = [];
  let at = 0;
  while (at < sql.length) {
    const char = sql[at]!;
    if (/\s/.test(char)) at++;
    else if (sql.startsWith('--', at) || sql.startsWith('#!', at) || sql.startsWith('# ', at)) {
      const end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length : end + 1;
    } else if (sql.startsWith('/*', at)) {
      const end = sql.indexOf('*/', at + 2);
      if (end < 0) return null;
      at = end + 2;
    } else if (char === "'" || char === '"' || char === '`') {
      const quoted = readQuoted(sql, at);
      if (!quoted) return null;
      tokens.push({ kind: char === "'" ? 'text' : 'quoted', value: quoted.value });
      at = quoted.end;
    } else if (char === '$') {
      // Heredoc: $tag$ … $tag$. A lone $ is a sign.
      const tag = /^\$[A-Za-z0-9_]*\$/.exec(sql.slice(at, at + 80))?.[0];
      const end = tag === undefined ? -1 : sql.indexOf(tag, at + tag.length);
      if (tag !== undefined && end >= 0) {
        tokens.push({ kind: 'text', value: sql.slice(at + tag.length, end) });
        at = end + tag.length;
      } else {
        tokens.push({ kind: 'sign', value: char });
        at++;
      }
    } else {
      const word = /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9][A-Za-z0-9_.]*)/.exec(sql.slice(at, at + 4_096))?.[0];
      tokens.push(
        word === undefined
          ? { kind: 'sign', value: char }
          : { kind: /^[0-9]/.test(word) ? 'number' : 'word', value: word },
      );
      at += word?.length ?? 1;
    }
  }
  return tokens;
}

function readQuoted(sql: string, begin: number): { value: string; end: number } | null {
  const quote = sql[begin]!;
  let value = '';
  for (let at = begin + 1; at < sql.length; at++) {
    const char = sql[at]!;
    if (char === '\\') {
      at++;
      value += sql[at] ?? '';
    } else if (char === quote) {
      if (sql[at + 1] !== quote) return { value, end: at + 1 };
      value += quote;
      at++;
    } else value += char;
  }
  return null;
}

const READING = new Set(['select', 'with', 'show', 'describe', 'desc', 'explain', 'exists']);

/** Functions and table functions that reach outside the database. As any name in a query: APPLY(file) is a call as well. */
const REACHING_OUT =
  /^(file|url|s3|gcs|oss|cosn|hdfs|azureblobstorage|remote|remotesecure|mysql|postgresql|mongodb|redis|sqlite|odbc|jdbc|executable|executablepool|input|iceberg\w*|paimon\w*|deltalake\w*|hudi\w*|python|catboostevaluate|arrowflight|ytsaurus|prometheus\w*|fileinput|(file|url|s3|hdfs|azureblobstorage|remote)cluster|cluster|clusterallreplicas)$/;

export type Verdict =
  { readonly ok: true } | { readonly ok: false; readonly code: number; readonly reason: string };

const SYNTAX_ERROR = 62;
const READONLY = 164;

export function judge(sql: string): Verdict {
  const refuse = (reason: string, code = READONLY): Verdict => ({ ok: false, code, reason });
  const tokens = tokenize(sql);
  if (tokens === null) return refuse('a quote or comment is not closed', SYNTAX_ERROR);
  const end = tokens.findIndex(({ kind, value }) => kind === 'sign' && value === ';');
  if (end >= 0 && tokens.slice(end).some(({ kind, value }) => kind !== 'sign' || value !== ';'))
    return refuse('one statement at a time', SYNTAX_ERROR);
  const first = tokens.find(({ value }) => value !== '(');
  if (!first) return refuse('the query is empty', SYNTAX_ERROR);
  if (first.kind !== 'word' || !READING.has(first.value.toLowerCase()))
    return refuse('only SELECT, WITH, SHOW, DESCRIBE, EXPLAIN and EXISTS are allowed here');
  for (const [at, { kind, value }] of tokens.entries()) {
    if (kind !== 'word' && kind !== 'quoted') continue;
    const name = value.toLowerCase();
    if (REACHING_OUT.test(name))
      return refuse(`${value} reaches outside the database and is not allowed here`);
    if (kind === 'word' && name === 'outfile' && tokens[at - 1]?.value.toLowerCase() === 'into')
      return refuse('INTO OUTFILE is not allowed here');
  }
  return { ok: true };
}

/** The format a query asks for itself: its last two tokens. */
export function formatOf(sql: string): string | null {
  const tokens = (tokenize(sql) ?? []).filter(({ kind, value }) => kind !== 'sign' || value !== ';');
  const [before, last] = tokens.slice(-2);
  return before?.kind === 'word' && before.value.toLowerCase() === 'format' && last?.kind === 'word'
    ? last.value
    : null;
}
