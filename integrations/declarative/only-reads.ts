import { isObject } from '../schema/evaluation.ts';
import type { RequestDocument } from './document.ts';
import { namesIn } from './template.ts';

const GRAPHQL_KEYS = ['query', 'variables'];
const TEXTS_AND_COMMENTS = /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#.*/g;

/** Whether a request only reads: a GET, or a POST of a GraphQL query. */
export function onlyReads({ method = 'GET', json, ...rest }: RequestDocument): boolean {
  if (method === 'GET') return true;
  if (method !== 'POST' || !isObject(json) || rest.form || rest.multipart || rest.bytes) return false;
  return Object.keys(json).every((key) => GRAPHQL_KEYS.includes(key)) && isGraphqlQuery(json.query);
}

/** Whether a text is a GraphQL query without inputs. An input could turn it into a mutation. */
function isGraphqlQuery(text: unknown): boolean {
  if (typeof text !== 'string' || namesIn(text).length > 0) return false;
  const code = text.replace(TEXTS_AND_COMMENTS, ' ').trim();
  return /^(?:query\b|\{)/.test(code) && !/\b(?:mutation|subscription)\b/.test(code);
}
