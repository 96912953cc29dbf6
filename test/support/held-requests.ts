import type { Page, Route } from 'playwright-core';

/** Requests of a page that wait until they are let through. */
export class HeldRequests {
  readonly #held: Route[] = [];
  #isOpen = false;

  /** Holds all requests from now on whose address matches a glob such as `**\/state`. */
  static async of(page: Page, pattern: string): Promise<HeldRequests> {
    const requests = new HeldRequests();
    await page.route(pattern, (route) => requests.#take(route));
    return requests;
  }

  /**
   * Lets those through that wait, and all later ones. The route stays, because a browser may lose a
   * request that begins while its routes change.
   */
  async letThrough(): Promise<void> {
    this.#isOpen = true;
    await Promise.all(this.#held.splice(0).map((route) => route.continue()));
  }

  async #take(route: Route): Promise<void> {
    if (this.#isOpen) await route.continue();
    else this.#held.push(route);
  }
}

/** Presses keys one after the other. */
export async function pressAll(page: Page, keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
