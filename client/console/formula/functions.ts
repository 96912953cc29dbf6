import type { FunctionHint } from './completion.ts';

let loading: Promise<readonly FunctionHint[]> | undefined;

/** Loads the functions of the service with their arguments, once a page. */
export function loadFunctions(): Promise<readonly FunctionHint[]> {
  loading ??= readFunctions();
  return loading;
}

async function readFunctions(): Promise<readonly FunctionHint[]> {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="quire-functions"]');
  try {
    const answer = await fetch(meta?.content ?? '');
    if (!answer.ok) throw new Error(`The functions could not be loaded: ${answer.status}.`);
    return (await answer.json()) as readonly FunctionHint[];
  } catch (error) {
    // The next formula asks again.
    loading = undefined;
    throw error;
  }
}
