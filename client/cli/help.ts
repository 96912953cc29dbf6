import { commands, everywhere, type Command, type Option } from './commands.ts';

const exits =
  'Exit codes: 0 done · 1 failed · 2 wrong usage · 3 differences or conflicts found ·\n' +
  '4 not signed in or not allowed · 5 not found · 6 refused by a rule (try another way) ·\n' +
  '7 try again later';

export function overview(): string {
  const lines = ['quire – versioned workbooks from the command line', ''];
  lines.push('Usage: quire <command> [options]');
  for (const group of new Set(commands.map((one) => one.group))) {
    lines.push('', group);
    for (const one of commands.filter((each) => each.group === group)) {
      lines.push(`  ${one.name.padEnd(12)}${one.says}`);
    }
  }
  lines.push('', 'Options everywhere', ...optionLines(everywhere), '', exits, '');
  lines.push('`quire <command> --help` says more. A book is wb_… or owner/name; behind an @ comes');
  lines.push('any reference: wb_…@q3, ada/plan@main@42, wb_…@commit:v1.');
  return lines.join('\n');
}

export function helpOf({
  name,
  arguments: args,
  says,
  options,
  aliases,
  examples,
}: Command): string {
  const lines = [`${says}.`, '', `Usage: quire ${name} ${args}`.trimEnd()];
  if (aliases) lines.push('', `Also: ${aliases.join(', ')}`);
  if (options) lines.push('', 'Options', ...optionLines(options));
  if (examples) lines.push('', 'Examples', ...examples.map((example) => `  ${example}`));
  return lines.join('\n');
}

function optionLines(options: Readonly<Record<string, Option>>): string[] {
  const shown = Object.entries(options).map(([name, { short, value, says }]) => {
    const begin = short === undefined ? '    ' : `-${short}, `;
    return [`${begin}--${name}${value === undefined ? '' : ` <${value}>`}`, says] as const;
  });
  const width = Math.max(...shown.map(([text]) => text.length)) + 2;
  return shown.map(([text, says]) => `  ${text.padEnd(width)}${says}`);
}
