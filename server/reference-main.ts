import { readVersion } from './foundation.ts';
import { makeReference, writeReference, writtenAddresses } from './http/reference/reference.ts';
import { routeShapes } from './route-shapes.ts';

/** A part of `npm run build`: writes /openapi.json and /docs, as the service answers them. */
for (const addresses of writtenAddresses) {
  writeReference(addresses, makeReference(routeShapes(addresses), addresses, readVersion()));
}
