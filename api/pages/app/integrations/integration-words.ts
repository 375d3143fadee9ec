import type { ConnectionType } from '../../../../domain/connection.ts';
import type { ConnectionStrategy } from '../../../../domain/policies/policy.ts';
import type { CatalogIntegration } from '../../../../integrations/catalog.ts';
import type { INTEGRATION_CATEGORIES, Verification } from '../../../../integrations/definition.ts';
import type { PropType } from '../../../../integrations/describe-props.ts';
import { showDay } from '../../layout/show-time.ts';
import type { Mark } from '../list.ts';

/** Path of the catalogue, below /app. */
export const INTEGRATIONS = '/integrations';

/** Shown names of the categories of integrations. */
export const CATEGORY_NAMES: Record<(typeof INTEGRATION_CATEGORIES)[number], string> = {
  AI: 'AI',
  ANALYTICS: 'Analytics',
  COMMERCE: 'Commerce',
  COMMUNICATION: 'Communication',
  CONTENT_AND_FILES: 'Content and files',
  CUSTOMER_SUPPORT: 'Customer support',
  DEVELOPER_TOOLS: 'Developer tools',
  FINANCE: 'Finance',
  FORMS_AND_SURVEYS: 'Forms and surveys',
  HR_AND_RECRUITING: 'HR and recruiting',
  MARKETING: 'Marketing',
  PROJECT_MANAGEMENT: 'Project management',
  PRODUCTIVITY: 'Productivity',
  SALES_AND_CRM: 'Sales and CRM',
};

/** Shown names of the ways to connect an account. */
export const ACCOUNT_NAMES: Record<ConnectionType, string> = {
  SECRET_TEXT: 'Token or key',
  BASIC_AUTH: 'User name and password',
  CUSTOM_AUTH: 'Several fields',
  OAUTH2: 'Sign-in (OAuth)',
  PLATFORM_OAUTH2: 'Sign-in (OAuth)',
};

/** Shown names of the connection strategies. */
export const STRATEGY_NAMES: Record<ConnectionStrategy, string> = {
  fixed: 'One account for everybody',
  per_user: 'Each person’s own account',
  per_user_with_fallback: 'Each person’s own, else one for everybody',
};

/** Shown names of the types of inputs. */
export const INPUT_NAMES: Record<PropType, string> = {
  SHORT_TEXT: 'text',
  LONG_TEXT: 'text',
  NUMBER: 'number',
  CHECKBOX: 'yes or no',
  DROPDOWN: 'choice from the account',
  STATIC_DROPDOWN: 'choice',
  MULTI_SELECT_DROPDOWN: 'choices from the account',
  STATIC_MULTI_SELECT_DROPDOWN: 'choices',
  DYNAMIC: 'fields from the account',
  ARRAY: 'list',
  OBJECT: 'object',
  JSON: 'any JSON',
  FILE: 'file',
  DATE_TIME: 'time',
};

const HUES = 6;

/** The initials that stand for an integration's logo: pages load no pictures from other sites. */
export function markOf({ name, displayName }: Pick<CatalogIntegration, 'name' | 'displayName'>): Mark {
  const words = displayName.match(/[\p{L}\p{N}]+/gu) ?? [name];
  const letters = (words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]!) : [...words[0]!].slice(0, 2)).join('');
  const sum = [...name].reduce((total, letter) => total + letter.codePointAt(0)!, 0);
  return { letters: letters.toUpperCase(), hue: sum % HUES };
}

/** The shown names of the ways to connect an account of an integration. */
export function accountOf({ auth }: Pick<CatalogIntegration, 'auth'>): string {
  if (auth === null) return 'None needed';
  return [...new Set(auth.map(({ type }) => ACCOUNT_NAMES[type]))].join(', ');
}

const TESTED: Record<Verification['testedAgainst'], string> = {
  fake: 'Written from the documentation of the provider and tested against a stand-in. Nobody has run it against the real service.',
  openapi: 'Compared with the provider’s own description of its API. Nobody has run it against the real service.',
  live: 'Every action was run for real, without a stand-in.',
};

/** Says how the actions of an integration were verified, and when. */
export function describeVerification({ verification }: CatalogIntegration): string {
  if (!verification) return 'Imported by your organization. Nobody else has checked it.';
  return `${TESTED[verification.testedAgainst]} Checked on ${showDay(new Date(verification.lastVerified))}.`;
}
