// All commands, and the run of one of them to its exit code.

import { Command as Commander, CommanderError } from 'commander';

import type { Command } from './command.ts';
import { audit } from './commands/audit.ts';
import { backfillCommand } from './commands/backfill.ts';
import { backtest } from './commands/backtest.ts';
import { backup, restore } from './commands/backup.ts';
import { completionOf } from './commands/completion.ts';
import { configCommand } from './commands/config.ts';
import { doctor } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { keys } from './commands/keys.ts';
import { logCommand } from './commands/log.ts';
import { rebuild } from './commands/rebuild.ts';
import { replay } from './commands/replay.ts';
import { collect, project, serve } from './commands/roles.ts';
import { simulateCommand } from './commands/simulate.ts';
import { migrate, verify } from './commands/tables.ts';
import { up } from './commands/up.ts';
import { EXIT, createContext, explain } from './context.ts';
import { COMMON_FLAGS } from './flags.ts';
import { VERSION } from './version.ts';

/** In the order of the help text. */
const COMMANDS: readonly Command[] = [
  up,
  collect,
  project,
  serve,
  simulateCommand,
  importCommand,
  backfillCommand,
  rebuild,
  verify,
  exportCommand,
  migrate,
  replay,
  logCommand,
  backtest,
  audit,
  keys,
  backup,
  restore,
  doctor,
  configCommand,
  completionOf(() => COMMANDS),
];

const AFTER_HELP = `
Settings: flag > environment (LADDERLOG_*) > file (ladderlog.yaml) > default; \`ladderlog config\` shows all.
Exit codes: 0 ok, 1 failed, 2 wrong usage or configuration, 3 a difference was found, 4 not available now, 130 interrupted.`;

export async function run(argv: readonly string[]): Promise<number> {
  let code: number = EXIT.ok;
  const program = new Commander('ladderlog')
    .description('Records prediction-market order books and serves their history.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(ladderlog --help shows all commands)')
    .addHelpText('after', AFTER_HELP);
  for (const command of COMMANDS)
    commanderOf(program, command).action(async (...given: unknown[]) => {
      const self = given.at(-1) as Commander;
      const options = self.opts();
      const args = self.processedArgs.flat() as string[];
      code = (await command.run(createContext(options), options, args)) ?? EXIT.ok;
    });
  const debug = argv.includes('debug') || argv.includes('--log-level=debug');
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return explain(error, debug);
  }
}

function commanderOf(program: Commander, command: Command): Commander {
  const { name, summary, examples } = command;
  const made = program
    .command(name)
    .description(summary)
    .exitOverride()
    .showHelpAfterError(`(ladderlog ${name} --help)`)
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`);
  for (const [argument, doc] of Object.entries(command.arguments ?? {})) made.argument(argument, doc);
  for (const one of [...(command.flags ?? []), ...COMMON_FLAGS]) {
    const option = made.createOption(one.flags, one.doc).makeOptionMandatory(one.required ?? false);
    if (one.default !== undefined) option.default(one.default);
    if (one.join) option.argParser(one.join);
    made.addOption(option);
  }
  return made;
}
