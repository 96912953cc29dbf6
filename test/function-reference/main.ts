import { writeFileSync } from 'node:fs';

import { functionReference } from './reference.ts';

/** Writes docs/formula-functions.md: `npm run functions-doc`. */
writeFileSync(new URL('../../../docs/formula-functions.md', import.meta.url), functionReference());
