import { z } from 'zod';
import { POLICY } from '../../../domain/limits.ts';
import { ACTION_CATEGORIES } from '../../../domain/policies/policy.ts';
import { text } from '../../schemas.ts';

const MAX_ITEMS = POLICY.maxPatterns;
const MAX_LENGTH = 500;

const short = text.min(1).max(MAX_LENGTH);
const texts = z.array(short).max(MAX_ITEMS);

const amountThreshold = z
  .strictObject({
    path: short.describe('dotted path into the input; * matches any array item'),
    gte: z.number().optional(),
    gt: z.number().optional(),
    currency: short.optional(),
    currencyPath: short.optional(),
  })
  .refine(({ gte, gt }) => gte !== undefined || gt !== undefined, 'needs gte or gt');

/** Conditions on the call itself (contract decisions 3). */
export const policyRules = z
  .strictObject({
    actionCategories: z.array(z.enum(ACTION_CATEGORIES)).max(MAX_ITEMS).optional(),
    amountThresholds: z.array(amountThreshold).max(MAX_ITEMS).optional(),
    recipientAllowlist: texts.optional(),
    recipientDenylist: texts.optional(),
    domainAllowlist: texts.optional(),
    domainDenylist: texts.optional(),
    storagePathPrefixes: texts.optional(),
  })
  .refine((rules) => Object.values(rules).flat().length <= MAX_ITEMS, `holds too many entries: at most ${MAX_ITEMS} in all lists together`);
