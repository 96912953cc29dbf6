import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Levels A and AA of WCAG 2.0 to 2.2. */
const levels = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
/** Rules whose result depends on the theme. */
const colourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** Returns the faults that axe finds in a page; in a second theme only those of colours. */
export async function axeFaults(page: Page, isColoursAlone = false): Promise<readonly string[]> {
  const isThere = await page.evaluate<boolean>('"axe" in window');
  // Trusted Types forbid running a text in the page, so axe is injected by the protocol.
  if (!isThere) await page.evaluate(`(() => { ${axe.source}; })()`);
  const runOnly = JSON.stringify(isColoursAlone ? colourRules : levels);
  // Passing rules are left out of the result, because describing them takes longer than testing
  // them.
  const asked = `axe.run(document, { runOnly: ${runOnly}, resultTypes: ['violations'] })`;
  const { violations } = await page.evaluate<AxeResult>(asked);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}
