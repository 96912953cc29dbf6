/** Calls `then` when the network goes or comes, and when the page is seen again, as after a sleep. */
export function whenReached(signal: AbortSignal, then: () => void): void {
  for (const name of ['online', 'offline', 'pageshow']) {
    window.addEventListener(name, then, { signal });
  }
  const look = () => {
    if (document.visibilityState === 'visible') then();
  };
  document.addEventListener('visibilitychange', look, { signal });
}
