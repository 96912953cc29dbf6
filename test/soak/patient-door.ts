import { setTimeout as sleep } from 'node:timers/promises';

import { ServiceDoor, type TestAnswer, type TestRequest } from '../support/service-door.ts';

const triesMost = 30;

/** Asks again when a service that is busy says so, after as long as it says. */
export class PatientDoor extends ServiceDoor {
  override async request(path: string, options: TestRequest = {}): Promise<TestAnswer> {
    for (let tries = 1; ; tries++) {
      const answer = await super.request(path, options);
      const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
      if (answer.status !== 503 || Number.isNaN(seconds) || tries === triesMost) return answer;
      await sleep(seconds * 1_000);
    }
  }
}
