/** Regions of a page in order, with the focus target in each. */
const regions: readonly (readonly [region: string, target: string])[] = [
  ['header.top', 'a, button, input'],
  ['main .bar', 'select, button, a'],
  ['.format-bar', 'button:enabled'],
  ['.formula-bar', 'input'],
  ['.grid', '.grid-editor'],
  ['.tabs', '[aria-selected="true"]'],
  ['#history', ''],
  ['main.page', 'a, button:enabled, input, select'],
];

/** Moves the focus to the next region of the page, or to the previous one. */
export function goToRegion(isBack: boolean): void {
  const there = regions.flatMap(([name, target]) => {
    const region = document.querySelector<HTMLElement>(name);
    const goal = target === '' ? region : region?.querySelector<HTMLElement>(target);
    return region && goal ? [{ region, goal }] : [];
  });
  const at = there.findIndex(({ region }) => region.contains(document.activeElement));
  const start = at < 0 && isBack ? 0 : at;
  there[(start + (isBack ? -1 : 1) + there.length) % there.length]?.goal.focus();
}
