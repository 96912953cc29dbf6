import { browserTexts } from '../browser-storage.ts';

const storageKey = 'quire.theme';

const themes = ['system', 'light', 'dark'] as const;

/** `system` follows the setting of the system. */
export type Theme = (typeof themes)[number];

/** Returns the theme chosen in this browser. */
export function chosenTheme(): Theme {
  const kept = browserTexts.getItem(storageKey);
  return themes.find((theme) => theme === kept) ?? 'system';
}

/** Sets the theme of all pages of the console, and stores it. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') browserTexts.removeItem(storageKey);
  else browserTexts.setItem(storageKey, theme);
  showTheme(theme);
}

/** Applies the chosen theme, also when it is chosen in another tab. */
export function followTheme(): void {
  showTheme(chosenTheme());
  window.addEventListener('storage', ({ key }) => {
    if (key === storageKey || key === null) showTheme(chosenTheme());
  });
}

function showTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
}
