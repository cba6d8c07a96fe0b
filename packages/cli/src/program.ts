// All commands, and the run of one of them to its exit code.

import { Command as Commander, CommanderError } from 'commander';

import type { Command } from './command.ts';
import { EXIT, createContext, explain } from './context.ts';
import { COMMON_FLAGS } from './flags.ts';
import { VERSION } from './version.ts';

/** In the order of the help text. Each is loaded when it is asked for: what a command does not need takes no memory. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./commands/up.ts')).up,
  collect: async () => (await import('./commands/roles.ts')).collect,
  project: async () => (await import('./commands/roles.ts')).project,
  serve: async () => (await import('./commands/roles.ts')).serve,
  simulate: async () => (await import('./commands/simulate.ts')).simulateCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  backfill: async () => (await import('./commands/backfill.ts')).backfillCommand,
  rebuild: async () => (await import('./commands/rebuild.ts')).rebuild,
  verify: async () => (await import('./commands/tables.ts')).verify,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  migrate: async () => (await import('./commands/tables.ts')).migrate,
  replay: async () => (await import('./commands/replay.ts')).replay,
  log: async () => (await import('./commands/log.ts')).logCommand,
  backtest: async () => (await import('./commands/backtest.ts')).backtest,
  audit: async () => (await import('./commands/audit.ts')).audit,
  keys: async () => (await import('./commands/keys.ts')).keys,
  backup: async () => (await import('./commands/backup.ts')).backup,
  restore: async () => (await import('./commands/backup.ts')).restore,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  config: async () => (await import('./commands/config.ts')).configCommand,
  completion: async () => (await import('./commands/completion.ts')).completionOf(allCommands),
};

const allCommands = (): Promise<Command[]> => Promise.all(Object.values(COMMANDS).map((load) => load()));

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
  const asked = Object.hasOwn(COMMANDS, argv[0] ?? '') ? [await COMMANDS[argv[0]!]!()] : await allCommands();
  for (const command of asked)
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
