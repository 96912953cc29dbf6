import { commands, everywhere, type Command } from './commands.ts';
import type { Context } from './context.ts';
import { exitCodes, Stop } from './stop.ts';

const names = commands.flatMap((one) => [one.name, ...(one.aliases ?? [])]);

export function completion(context: Context): Promise<number> {
  const shell = context.argument(0, 'The shell (bash, zsh or fish)');
  const scripts: Readonly<Record<string, () => string>> = { bash, zsh, fish };
  const script = scripts[shell];
  if (!script) throw new Stop(exitCodes.usage, `${shell} is none of bash, zsh, fish.`);
  context.terminal.print(script());
  return Promise.resolve(exitCodes.done);
}

function switchesOf({ options = {} }: Command): string {
  return [...Object.keys(options), ...Object.keys(everywhere)].map((one) => `--${one}`).join(' ');
}

function bash(): string {
  const cases = commands.map((one) => {
    const words = [one.name, ...(one.aliases ?? [])].join('|');
    return `    ${words}) words='${switchesOf(one)}' ;;`;
  });
  return `_quire() {
  local word=\${COMP_WORDS[COMP_CWORD]} words='${names.join(' ')}'
  [ "$COMP_CWORD" -gt 1 ] && case \${COMP_WORDS[1]} in
${cases.join('\n')}
    *) words='' ;;
  esac
  [[ $COMP_CWORD -gt 1 && $word != -* ]] && { COMPREPLY=($(compgen -f -- "$word")); return; }
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o filenames -F _quire quire`;
}

function zsh(): string {
  return `#compdef quire
autoload -U +X bashcompinit && bashcompinit
${bash()}`;
}

function fish(): string {
  const lines = commands.flatMap((one) => {
    const words = [one.name, ...(one.aliases ?? [])];
    const begin = words.map((word) => {
      return `complete -c quire -n __fish_use_subcommand -a ${word} -d ${quoted(one.says)}`;
    });
    const seen = `'__fish_seen_subcommand_from ${words.join(' ')}'`;
    const options = Object.entries(one.options ?? {}).map(([name, { says }]) => {
      return `complete -c quire -n ${seen} -l ${name} -d ${quoted(says)}`;
    });
    return [...begin, ...options];
  });
  return lines.join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`\'`)}'`;
}
