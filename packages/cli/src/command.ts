// What a command is: a value. program.ts lists them all and hands them to commander.

import type { Context } from './context.ts';

/** As commander gives them: `--report-html x` is `reportHtml: 'x'`. */
export type Options = Readonly<Record<string, unknown>>;

export type Flag = {
  /** `--port <port>` */
  readonly flags: string;
  readonly doc: string;
  readonly default?: string;
  readonly required?: true;
  /** How a value is joined with those given before it, where a flag may be repeated. */
  readonly join?: (value: string, before: readonly string[] | undefined) => readonly string[];
};

export type Command = {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  /** `<file>` or `[file]` or `<files...>`, and what it is. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly flags?: readonly Flag[];
  /** The exit code; undefined is 0. */
  run(context: Context, options: Options, args: readonly string[]): Promise<number | void>;
};
