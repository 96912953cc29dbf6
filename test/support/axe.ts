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
/** Rules whose outcome another theme changes. */
const colourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** Returns what axe finds amiss in a page; in a second theme only colours are looked at again. */
export async function axeFaults(page: Page, isColoursAlone = false): Promise<readonly string[]> {
  const isThere = await page.evaluate<boolean>('"axe" in window');
  // Trusted Types forbid to run a text in the page, so that axe comes in by the protocol.
  if (!isThere) await page.evaluate(`(() => { ${axe.source}; })()`);
  const runOnly = JSON.stringify(isColoursAlone ? colourRules : levels);
  // Rules that pass are not written down: that takes longer than to try them.
  const asked = `axe.run(document, { runOnly: ${runOnly}, resultTypes: ['violations'] })`;
  const { violations } = await page.evaluate<AxeResult>(asked);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}
