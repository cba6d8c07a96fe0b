// ladderlog completion bash | zsh | fish: made from the commands themselves.

import { LadderlogError } from '@ladderlog/core';
import type { Command } from 'commander';

import type { Define } from '../program.ts';

export function registerCompletion(define: Define, program: Command): void {
  define(
    'completion',
    'Prints shell completion for bash, zsh or fish.',
    [
      'source <(ladderlog completion bash)',
      'ladderlog completion fish > ~/.config/fish/completions/ladderlog.fish',
    ],
    (command) => command.argument('<shell>', 'bash, zsh or fish'),
    async (context, _options, [shell]) => {
      const commands = program.commands.map((command) => ({
        name: command.name(),
        summary: command.description(),
        flags: command.options.map(({ long }) => long ?? '').filter(Boolean),
      }));
      if (shell === 'bash' || shell === 'zsh') {
        const cases = commands.map(
          ({ name, flags }) =>
            `    ${name}) COMPREPLY=($(compgen -W "${flags.join(' ')}" -- "$word") $(compgen -f -- "$word")) ;;`,
        );
        const names = commands.map(({ name }) => name).join(' ');
        context.print(
          [
            ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
            '_ladderlog() {',
            '  local word="${COMP_WORDS[COMP_CWORD]}"',
            `  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${names}" -- "$word")); return; fi`,
            '  case "${COMP_WORDS[1]}" in',
            ...cases,
            '  esac',
            '}',
            'complete -F _ladderlog ladderlog',
          ].join('\n'),
        );
      } else if (shell === 'fish') {
        for (const { name, summary, flags } of commands) {
          context.print(
            `complete -c ladderlog -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", '')}'`,
          );
          for (const flag of flags)
            context.print(
              `complete -c ladderlog -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`,
            );
        }
      } else
        throw new LadderlogError('BAD_ARGUMENT', `no completion for '${shell}'; there is bash, zsh and fish`);
    },
  );
}
