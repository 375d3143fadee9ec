import type { OperationFacts } from './read-facts.ts';

interface Shape {
  required?: string[];
  members?: Record<string, { shape: string; location?: string; locationName?: string }>;
  enum?: string[];
}

/** The keys that are read from a service model of botocore, the core of the AWS SDK for Python. */
export interface ServiceModel {
  operations: Record<string, { http: { method: string; requestUri: string }; input?: { shape: string } }>;
  shapes: Record<string, Shape>;
}

/** A member with another location is not a parameter. */
const LOCATIONS: Readonly<Record<string, string>> = { uri: 'path', querystring: 'query', header: 'header' };

/** Returns every operation of a service model, without bodies. */
export function botocoreOperations({ operations, shapes }: ServiceModel): OperationFacts[] {
  return Object.values(operations).map(({ http: { method, requestUri }, input }) => {
    const [path = '', query] = requestUri.split('?');
    const { members = {}, required = [] }: Shape = input ? shapes[input.shape]! : {};
    const own = Object.entries(members).flatMap(([key, { shape, location = '', locationName = key }]) => {
      const where = LOCATIONS[location];
      const values = shapes[shape]?.enum;
      return where ? [{ name: locationName, in: where, required: required.includes(key), ...(values && { allowed: { values } }) }] : [];
    });
    const fixed = [...new URLSearchParams(query).keys()].map((name) => ({ name, in: 'query', required: true }));
    return { method, path: path.replace('+}', '}'), parameters: [...own, ...fixed], body: null };
  });
}
