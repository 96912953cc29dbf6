import { Failure } from './failure.ts';
import { isBranchName, isTag, nameLengthMost } from './reference.ts';

/** Things that are named once and are spelled in references afterwards. */
type NamedThing = 'branch' | 'tag';

const rules: Readonly<Record<NamedThing, string>> = {
  branch: `The name of a branch has letters, digits and _ . - /, begins and ends with a letter, a digit or _, and has at most ${nameLengthMost} characters.`,
  tag: `A tag has letters, digits and _ . - / +, begins and ends with a letter, a digit, _ or, at its end, +, and has at most ${nameLengthMost} characters.`,
};

/**
 * Fails with `bad_name` for what no new branch or tag is called. Names of before this rule are read
 * still: references take blanks, and `$` within a name.
 */
export function checkNewName(text: string, thing: NamedThing): void {
  const fault = newNameFault(text, thing);
  if (fault === undefined) return;
  throw new Failure('badName', {
    detail: `"${text.slice(0, nameLengthMost)}": ${fault}.`,
    hint: rules[thing],
  });
}

function newNameFault(text: string, thing: NamedThing): string | undefined {
  if (text.startsWith('$')) return 'names that begin with $ are reserved';
  if (text.includes('//') || text.includes('..')) return 'a name has neither // nor .. in it';
  if (/\s/u.test(text)) return 'a name has no blanks in it';
  if (text.length > nameLengthMost) return `a name has at most ${nameLengthMost} characters`;
  if (text.includes('$')) return 'a name has no $ in it';
  const isSpelled = thing === 'tag' ? isTag(text) : isBranchName(text);
  return isSpelled ? undefined : 'a reference could not spell that';
}
