import { z } from 'zod';

import { route } from '../../../http/route.ts';
import type { Route } from '../../../http/route.ts';
import type { Addresses } from '../../../model/addresses.ts';
import type { Claims } from '../../claims/claims.ts';
import { localPath } from '../form.ts';
import { seeOther } from '../reply.ts';
import { asPage, sitePage } from '../sign-in/http.ts';
import type { Upstream } from './upstream.ts';

export interface UpstreamServices {
  readonly upstream: Upstream;
  readonly claims: Claims;
  readonly addresses: Addresses;
}

const params = z.object({ provider: z.string() });

/** Routes that lead to a provider and back. */
export function upstreamRoutes({ upstream, claims, addresses }: UpstreamServices): Route[] {
  return [
    route({
      ...sitePage,
      method: 'GET',
      path: '/login/:provider',
      summary: 'Signing in through another account',
      request: { params, query: z.strictObject({ next: z.string().max(2000).optional() }) },
      handler: ({ params: { provider }, query, address }) =>
        asPage(async () => {
          await claims.countUpstream(address);
          const next = localPath(query.next, addresses.siteUrl);
          const { location, cookie } = await upstream.begin(provider, next);
          return seeOther(location, [cookie]);
        }),
    }),
    route({
      ...sitePage,
      method: 'GET',
      path: '/oauth/callback/:provider',
      lenient: true,
      summary: 'Back from the other account',
      request: { params },
      handler: ({ params: { provider }, queryText, header, address, requestId }) =>
        asPage(async () => {
          const given = { cookies: header('cookie'), address, requestId };
          const { location, cookie } = await upstream.finish(provider, queryText, given);
          return seeOther(location, [cookie]);
        }),
    }),
  ];
}
