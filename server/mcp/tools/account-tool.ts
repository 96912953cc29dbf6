import { z } from 'zod';

import { usageView } from '../../account/usage/usage-view.ts';
import { monthOf } from '../../model/plan.ts';
import { Failure } from '../../model/failure.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { tool } from './tool.ts';

const input = z.strictObject({
  action: z
    .enum(['whoami', 'usage', 'claim_start', 'claim_complete'])
    .describe(
      'claim_start sends a code to a person, claim_complete takes it and answers a new credential',
    ),
  email: z.string().max(320).optional().describe('Of claim_start: the address of your person'),
  link: z
    .boolean()
    .default(false)
    .describe(
      'Of claim_start: keep your identity, linked to theirs, instead of becoming part of it',
    ),
  otp: z.string().max(40).optional().describe('Of claim_complete: the six digits of the letter'),
});

const output = z.object({
  identity: z.looseObject({}).optional().describe('With whoami'),
  usage: z
    .looseObject({})
    .optional()
    .describe('With usage: what is used, and what the plan allows'),
  claim: z.looseObject({}).optional().describe('With claim_start and claim_complete'),
});

type Given = z.output<typeof input>;

export function accountTool(services: McpServices): Tool {
  const { account, usage, environment } = services;
  return tool(services, {
    name: 'account',
    title: 'Your account',
    description:
      'Who you are, what you have used, and the claim: a person confirms by e-mail that they stand behind you, which raises your limits. After claim_complete send the new credential from then on: the old one ends.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false },
    isWrite: () => false,
    run: async (given, { principal, address, requestId }) => {
      switch (given.action) {
        case 'whoami':
          return { shown: { identity: { ...(await account.whoAmI(principal)) } } };
        case 'usage': {
          const month = monthOf(environment.now());
          return { shown: { usage: usageView(principal, await usage.read(principal), month) } };
        }
        case 'claim_start': {
          const email = needed(given, 'email');
          const asked = { email, isLink: given.link, address, requestId };
          const { message: _message, ...claim } = await account.startClaim(principal, asked);
          const next =
            'Ask the reader of the letter for its code, then: account {"action":"claim_complete","otp"}.';
          return { shown: { claim: { ...claim, next } } };
        }
        case 'claim_complete': {
          const code = needed(given, 'otp');
          const claim = await account.completeClaim(principal, { code, address, requestId });
          return { shown: { claim: { ...claim } } };
        }
      }
    },
  });
}

function needed(given: Given, member: 'email' | 'otp'): string {
  const value = given[member];
  if (value !== undefined) return value;
  const message = `${given.action} needs it.`;
  throw new Failure('invalidRequest', {
    detail: `/${member}: This is missing; ${message}`,
    errors: [{ pointer: `/${member}`, code: 'required', message }],
  });
}
