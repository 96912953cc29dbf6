import { useEffect, useState } from 'preact/hooks';

import { positionText, type Screen } from '../address.ts';
import type { Service } from '../service.ts';
import { inputText } from '../sheet/input-text.ts';

/** Time for which nothing is typed before a formula is evaluated. */
const restMs = 150;

interface Place {
  readonly service: Service;
  readonly screen: Screen;
  /** Names of the sheets; the first one is shown where the address names none. */
  readonly sheets: readonly string[] | undefined;
}

interface Answer {
  readonly formulas: readonly { readonly rows: readonly (readonly unknown[])[] }[];
}

/**
 * Evaluates a formula that is typed into the palette, as on the sheet that is shown, and writes
 * nothing. Returns its value or why there is none; undefined for a text that is no formula.
 */
export function useEvaluated({ service, screen, sheets }: Place, text: string): string | undefined {
  const [shown, setShown] = useState<{ readonly text: string; readonly value: string }>();
  const isFormula = /^=\s*\S/u.test(text) && 'book' in screen;
  useEffect(() => {
    if (!isFormula || !sheets) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const show = (value: string) => {
        if (!abort.signal.aborted) setShown({ text, value });
      };
      const { signal } = abort;
      evaluate(service, bodyOf(screen, sheets, text), { book: screen.book, signal }).then(
        show,
        ({ message }: Error) => show(message),
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, sheets]);
  if (!isFormula) return undefined;
  return shown?.text === text ? shown.value : 'Calculating…';
}

function bodyOf(screen: Screen, [first]: readonly string[], formula: string) {
  const isSheet = screen.name === 'sheet';
  const sheet = (isSheet ? screen.sheet : undefined) ?? first;
  const ref = isSheet ? positionText(screen.at) : 'main';
  return { ref, formulas: [{ formula, ...(sheet !== undefined && { sheet }) }] };
}

async function evaluate(
  service: Service,
  body: object,
  { book, signal }: { readonly book: string; readonly signal: AbortSignal },
): Promise<string> {
  const path = `/v1/workbooks/${encodeURIComponent(book)}/scenario`;
  const { formulas } = await service.ask<Answer>(path, { body, signal });
  const rows = formulas[0]?.rows ?? [];
  const [first = []] = rows;
  const value = inputText(first[0]) || 'blank';
  const isArray = rows.length > 1 || first.length > 1;
  return isArray ? `${value}, the first of ${rows.length} × ${first.length} values` : value;
}
