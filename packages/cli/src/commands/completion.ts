// ladderlog completion bash | zsh | fish: made from the commands themselves.

import type { Command } from '../command.ts';
import { COMMON_FLAGS, badArgument } from '../flags.ts';

type Described = { readonly name: string; readonly summary: string; readonly flags: readonly string[] };

export const completionOf = (commands: () => Promise<readonly Command[]>): Command => ({
  name: 'completion',
  summary: 'Prints shell completion for bash, zsh or fish.',
  examples: [
    'source <(ladderlog completion bash)',
    'ladderlog completion fish > ~/.config/fish/completions/ladderlog.fish',
  ],
  arguments: { '<shell>': 'bash, zsh or fish' },
  async run(context, _options, [shell]) {
    const described = (await commands()).map(({ name, summary, flags = [] }) => ({
      name,
      summary,
      flags: [...flags, ...COMMON_FLAGS].map((one) => one.flags.split(' ')[0]!),
    }));
    if (shell === 'bash') context.print(bash(described));
    else if (shell === 'zsh')
      context.print(`autoload -U +X bashcompinit && bashcompinit\n${bash(described)}`);
    else if (shell === 'fish') context.print(fish(described));
    else throw badArgument(`no completion for '${shell}'; there is bash, zsh and fish`);
  },
});

const bash = (commands: readonly Described[]): string =>
  [
    '_ladderlog() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}"',
    `  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$word")); return; fi`,
    '  case "${COMP_WORDS[1]}" in',
    ...commands.map(
      ({ name, flags }) =>
        `    ${name}) COMPREPLY=($(compgen -W "${flags.join(' ')}" -- "$word") $(compgen -f -- "$word")) ;;`,
    ),
    '  esac',
    '}',
    'complete -F _ladderlog ladderlog',
  ].join('\n');

const fish = (commands: readonly Described[]): string =>
  commands
    .flatMap(({ name, summary, flags }) => [
      `complete -c ladderlog -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", '')}'`,
      ...flags.map(
        (one) => `complete -c ladderlog -n '__fish_seen_subcommand_from ${name}' -l ${one.slice(2)}`,
      ),
    ])
    .join('\n');
