// Which settings a request to the SQL front may give, and which formats it may ask for.

import type { Settings } from '../store.ts';
import { exception } from './answer.ts';

export type SqlFrontLimits = {
  readonly seconds: number;
  readonly memoryBytes: number;
  readonly resultRows: number;
  readonly resultBytes: number;
  readonly bodyBytes: number;
  readonly threads: number;
  readonly blockRows: number;
  readonly running: number;
  readonly waiting: number;
};

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Parameters of the protocol itself; every other one is a setting. */
export const PROTOCOL = wordsOf(`
  query database default_format query_id user password session_id session_timeout session_check
  wait_end_of_query buffer_size send_progress_in_http_headers enable_http_compression
  http_headers_progress_interval_ms role quota_key client_protocol_version stacktrace compress decompress
`);

/** Settings that only change how an answer looks may be given. By name: others of the same families read and write files. */
const HARMLESS = wordsOf(`
  bool_false_representation bool_true_representation cast_keep_nullable count_distinct_implementation
  date_time_input_format date_time_output_format extremes format_csv_delimiter
  format_csv_null_representation format_tsv_null_representation join_use_nulls log_comment
  output_format_arrow_compression_method output_format_arrow_low_cardinality_as_dictionary
  output_format_arrow_string_as_string output_format_binary_write_json_as_string
  output_format_csv_crlf_end_of_line output_format_decimal_trailing_zeros
  output_format_json_array_of_rows output_format_json_escape_forward_slashes
  output_format_json_map_as_array_of_tuples output_format_json_named_tuples_as_objects
  output_format_json_pretty_print output_format_json_quote_64bit_floats
  output_format_json_quote_64bit_integers output_format_json_quote_decimals
  output_format_json_quote_denormals output_format_json_skip_null_value_in_named_tuples
  output_format_json_validate_utf8 output_format_native_encode_types_in_binary_format
  output_format_native_write_json_as_string output_format_orc_compression_method
  output_format_orc_string_as_string output_format_parquet_compression_method
  output_format_parquet_row_group_size output_format_parquet_string_as_string output_format_pretty_color
  output_format_pretty_grid_charset output_format_pretty_max_column_pad_width
  output_format_pretty_max_rows output_format_pretty_max_value_width output_format_pretty_row_numbers
  output_format_tsv_crlf_end_of_line output_format_write_statistics prefer_column_name_to_alias
  result_overflow_mode
`);

/** Settings that a request can only make tighter. */
const BOUNDED = {
  max_execution_time: 'seconds',
  max_result_rows: 'resultRows',
  max_result_bytes: 'resultBytes',
  max_memory_usage: 'memoryBytes',
  max_threads: 'threads',
  max_block_size: 'blockRows',
} as const satisfies Record<string, keyof SqlFrontLimits>;

/** Formats that need nothing but the rows. Others read a schema or a template from a file, or write one. */
export const FORMATS =
  /^((TabSeparated|TSV|CSV|RowBinary)\w*|\w*JSON\w*|Pretty\w*|TSKV|Vertical|Values|XML|Markdown|MD|SQLInsert|LineAsString|RawBLOB|Native|Parquet|Arrow|ArrowStream|ORC|Avro|BSONEachRow|MsgPack|Null)$/i;

/** The settings of a statement: the front's own limits, and what the request says. `param_` values are none. */
export function settingsOf(search: URLSearchParams, limits: SqlFrontLimits): Settings {
  const settings: Record<string, string | number> = {
    max_execution_time: limits.seconds,
    max_memory_usage: limits.memoryBytes,
    max_result_rows: limits.resultRows,
    max_result_bytes: limits.resultBytes,
    max_threads: limits.threads,
    log_comment: 'ladderlog:sql-front',
  };
  for (const [name, value] of search)
    if (!name.startsWith('param_') && !PROTOCOL.has(name))
      Object.assign(settings, setting(name, value, limits));
  return settings;
}

function setting(name: string, value: string, limits: SqlFrontLimits): Settings {
  if (name === 'readonly') return {};
  if (HARMLESS.has(name)) return { [name]: value };
  if (!Object.hasOwn(BOUNDED, name))
    throw exception(164, 'READONLY', `Cannot modify '${name}' setting in readonly mode`);
  const bound = BOUNDED[name as keyof typeof BOUNDED];
  // 0 means unlimited to ClickHouse, so it is no tighter limit, and a fraction must not become it.
  const asked = Number(value);
  return asked > 0 && asked < limits[bound] ? { [name]: Math.ceil(asked) } : {};
}
