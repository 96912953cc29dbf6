import { useCommandKeys } from '../shell/letter-key.ts';

const steps: Readonly<Record<string, number>> = { j: 1, k: -1 };

/** J and K lead from one entry of the list to the next; Enter shows it in the cells. */
export function useStepKeys(): void {
  useCommandKeys((key) => {
    const step = steps[key];
    if (step === undefined) return;
    const rows = [...document.querySelectorAll<HTMLElement>('.changes tr[tabindex]')];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const row = at < 0 ? rows.at(step > 0 ? 0 : -1) : rows[at + step];
    if (!row) return;
    (row.querySelector<HTMLElement>('a, button') ?? row).focus();
    row.scrollIntoView({ block: 'nearest' });
  });
}
