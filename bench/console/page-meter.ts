import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';

/** An area of the page in pixels. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Scrolling {
  /** Milliseconds between frames. */
  readonly frames: readonly number[];
  /** Milliseconds of the main thread per frame. */
  readonly mainThread: number;
}

/**
 * Script that measures within a page. Text in cells is told from bars, lines and background by its
 * darkness; `untilInk` resolves with the time of the frame that shows text.
 */
const meterScript = `(() => {
  const darkest = 110;
  const canvases = () => [...document.querySelectorAll('canvas')].filter((one) => one.width > 300);
  const hasInk = ({ x, y, width, height }) => {
    const canvas = canvases()[0];
    if (!canvas) return false;
    const box = canvas.getBoundingClientRect();
    const ratio = canvas.width / box.width;
    const { data } = canvas.getContext('2d').getImageData(
      (x - box.left) * ratio, (y - box.top) * ratio, width * ratio, height * ratio);
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] > 0 && data[at] + data[at + 1] + data[at + 2] < 3 * darkest) return true;
    }
    return false;
  };
  const until = (holds) => new Promise((done, fail) => {
    const late = setTimeout(() => fail(new Error('nothing came within four minutes')), 240_000);
    const look = () => {
      if (!holds()) return requestAnimationFrame(look);
      clearTimeout(late);
      done(performance.now());
    };
    look();
  });
  const meter = {
    frames: [],
    isOn: false,
    hasInk,
    untilInk: (area) => until(() => hasInk(area)),
    untilBlank: (area) => until(() => !hasInk(area)),
    record() {
      meter.frames = [];
      meter.isOn = true;
      let last;
      const note = (at) => {
        if (last !== undefined) meter.frames.push(at - last);
        last = at;
        if (meter.isOn) requestAnimationFrame(note);
      };
      requestAnimationFrame(note);
    },
    stop() {
      meter.isOn = false;
      return meter.frames;
    },
  };
  window.benchMeter = meter;
})()`;

const wheelTicks = 300;
const wheelPx = 300;
const frameMs = 16;

/** Measures a page from outside, and by a script within it. */
export class PageMeter {
  readonly #page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  /** Prepares a page, before it is loaded. */
  static async on(page: Page): Promise<PageMeter> {
    await page.addInitScript(meterScript);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    return new PageMeter(page, session);
  }

  /** Resolves with the milliseconds from the request of the page until cells show text. */
  firstInk(area: Area): Promise<number> {
    return this.#page.evaluate<number>(`benchMeter.untilInk(${JSON.stringify(area)})`);
  }

  /** Returns the milliseconds from a call in the page until a blank area shows text. */
  untilInk(area: Area, act: string, isSeen: boolean): Promise<number> {
    const where = JSON.stringify(area);
    return this.#page.evaluate<number>(`(async () => {
      const start = performance.now();
      ${act};
      ${isSeen ? `await benchMeter.untilBlank(${where});` : ''}
      return (await benchMeter.untilInk(${where})) - start;
    })()`);
  }

  /** Returns the milliseconds from a key until a blank area shows text. */
  async keyToInk(area: Area, key: string): Promise<number> {
    const where = JSON.stringify(area);
    await this.#page.evaluate(`(() => {
      benchMeter.waited = new Promise((done) => {
        const start = ({ timeStamp }) =>
          done(benchMeter.untilInk(${where}).then((at) => at - timeStamp));
        addEventListener('keydown', start, { capture: true, once: true });
      });
    })()`);
    await this.#page.keyboard.press(key);
    return this.#page.evaluate<number>('benchMeter.waited');
  }

  /** Turns the wheel over the middle of the grid, once per frame. */
  async scroll(): Promise<Scrolling> {
    const { width, height } = this.#page.viewportSize() ?? { width: 0, height: 0 };
    await this.#page.mouse.move(width / 2, height / 2);
    const busyBefore = await this.#metric('TaskDuration');
    await this.#page.evaluate('benchMeter.record()');
    for (let tick = 0; tick < wheelTicks; tick++) {
      await Promise.all([this.#page.mouse.wheel(0, wheelPx), sleep(frameMs)]);
    }
    const frames = await this.#page.evaluate<number[]>('benchMeter.stop()');
    const busySeconds = (await this.#metric('TaskDuration')) - busyBefore;
    return { frames, mainThread: (busySeconds * 1_000) / frames.length };
  }

  async heapMegabytes(): Promise<number> {
    await this.#session.send('HeapProfiler.collectGarbage');
    return (await this.#metric('JSHeapUsedSize')) / 1e6;
  }

  async #metric(name: string): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  }
}
