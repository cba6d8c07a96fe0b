// Builds the commander program and runs one command to its exit code.

import { Command, CommanderError } from 'commander';

import { registerAudit } from './commands/audit.ts';
import { registerBacktest } from './commands/backtest.ts';
import { registerCollect } from './commands/collect.ts';
import { registerCompletion } from './commands/completion.ts';
import { registerConfig } from './commands/config.ts';
import { registerData } from './commands/data.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerImport } from './commands/import.ts';
import { registerKeys } from './commands/keys.ts';
import { registerLog } from './commands/log.ts';
import { registerReplay } from './commands/replay.ts';
import { registerTables } from './commands/tables.ts';
import { registerUp } from './commands/up.ts';
import { EXIT, createContext, explain } from './context.ts';
import type { Context } from './context.ts';
import { OWN_SETTINGS } from './settings/settings.ts';
import { VERSION } from './version.ts';

export type Options = Readonly<Record<string, unknown>>;
/** Returns the exit code; undefined is 0. */
export type Action = (context: Context, options: Options, args: readonly string[]) => Promise<number | void>;

/** Adds a command with the flags that all share; its action runs with the resolved configuration. */
export type Define = (
  name: string,
  summary: string,
  examples: readonly string[],
  build: (command: Command) => Command,
  action: Action,
) => Command;

export async function run(argv: readonly string[]): Promise<number> {
  let code = 0;
  const program = new Command('ladderlog')
    .description('Records prediction-market order books and serves their history.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(ladderlog --help shows all commands)')
    .addHelpText(
      'after',
      '\nSettings: flag > environment (LADDERLOG_*) > file (ladderlog.yaml) > default; `ladderlog config` shows all.\nExit codes: 0 ok, 1 failed, 2 wrong usage or configuration, 3 a difference was found, 4 not available now, 130 interrupted.',
    );
  const define: Define = (name, summary, examples, build, action) => {
    const command = build(program.command(name).description(summary))
      .option('--data <dir>', OWN_SETTINGS.data.doc)
      .option('--config <file>', 'Configuration file (YAML).')
      .option('--log-level <level>', OWN_SETTINGS.logLevel.doc)
      .option('--json', 'Machine-readable output.')
      .exitOverride()
      .showHelpAfterError(`(ladderlog ${name.split(' ')[0]} --help)`)
      .addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`)
      .action(async (...given: unknown[]) => {
        const self = given.at(-1) as Command;
        const options = self.opts() as Record<string, unknown>;
        const context = createContext(options);
        code = (await action(context, options, self.processedArgs.flat() as string[])) ?? EXIT.ok;
      });
    return command;
  };
  registerUp(define);
  registerCollect(define);
  registerImport(define);
  registerTables(define);
  registerReplay(define);
  registerLog(define);
  registerBacktest(define);
  registerAudit(define);
  registerKeys(define);
  registerData(define);
  registerDoctor(define);
  registerConfig(define);
  registerCompletion(define, program);
  const debug = argv.includes('debug') || argv.includes('--log-level=debug');
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return explain(error, debug);
  }
}
