import * as fc from 'fast-check';
import t from 'tap';

import { defaultPolicy, policySchema } from '../../../server/model/policy.ts';
import { fitsPattern, protectionOf } from '../../../server/model/protection.ts';

/** The same by a regular expression, which may take very long. */
function fitsSlowly(text: string, pattern: string): boolean {
  const parts = pattern.match(/\*\*|[^]/gu) ?? [];
  const source = parts.map((part) => {
    if (part === '**') return '[^]*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : part.replaceAll(/[.\\/+$]/gu, '\\$&');
  });
  return new RegExp(`^${source.join('')}$`, 'u').test(text);
}

const letters = (characters: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { maxLength }).map((parts) => parts.join(''));

const plain = ['a', 'b', '/', '😀'];

t.test('patterns fit as regular expressions would', async (t) => {
  fc.assert(
    fc.property(letters(plain, 8), letters([...plain, '*', '?'], 8), (text, pattern) => {
      t.equal(fitsPattern(text, pattern), fitsSlowly(text, pattern));
    }),
    { numRuns: 3_000 },
  );
  t.ok(fitsPattern('release/1.2', 'release/*'));
  t.notOk(fitsPattern('release/1/2', 'release/*'));
  t.ok(fitsPattern('release/1/2', 'release/**'));
});

// With backtracking neither of them would end before the test is given up.
t.test('no pattern takes long', async (t) => {
  t.notOk(fitsPattern('a'.repeat(100), `${'*a'.repeat(49)}*b`));
  t.notOk(fitsPattern('a'.repeat(100), `${'**?'.repeat(33)}b`));
});

t.test('nothing is protected by default, and defaults are their own defaults', async (t) => {
  t.equal(protectionOf(defaultPolicy, 'main'), undefined);
  t.same(policySchema.parse(defaultPolicy), defaultPolicy);
  const policy = policySchema.parse({ protectedBranches: [{ pattern: 'main' }] });
  t.same(policySchema.parse(policy), policy);
  t.equal(protectionOf(policy, 'main')?.directWrites, 'deny');
  t.equal(protectionOf(policy, 'mains'), undefined);
});
