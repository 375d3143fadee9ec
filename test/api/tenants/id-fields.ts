import { z } from 'zod';
import { ROUTES } from '../../../api/routes.ts';

/** A field in a route's query or body that names a record. */
export interface IdField {
  /** For example `post /api/v1/connections body.workspaceIntegrationId`. */
  name: string;
  route: (typeof ROUTES)[number];
  part: 'query' | 'body';
  /** The keys that lead to the field. `[]` stands for the items of a list. */
  path: string[];
}

type Schema = {
  $ref?: string;
  $defs?: Record<string, Schema>;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

const ID_NAME = /^(id|ids|token|\w+(Id|Ids|_id|_ids))$/;

/** Returns every field that is an id by name or format. */
export function idFields(): IdField[] {
  return ROUTES.flatMap((route) =>
    (['query', 'body'] as const).flatMap((part) => {
      const schema = route[part];
      if (!schema) return [];
      const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
      const paths = new Set(findIds(root, root, []).map((path) => path.join('.')));
      return [...paths].map((path) => ({
        ...{ route, part, path: path.split('.') },
        name: `${route.method} ${route.path} ${part}.${path.replaceAll('.[]', '[]')}`,
      }));
    }),
  );
}

function findIds(schema: Schema, root: Schema, path: string[]): string[][] {
  const target = schema.$ref ? root.$defs![schema.$ref.split('/').at(-1)!]! : schema;
  const { format, properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = target;
  const name = path.findLast((part) => part !== '[]') ?? '';
  const isId = !items && Object.keys(properties).length === 0 && (format === 'uuid' || ID_NAME.test(name));
  const inner = [
    ...Object.entries(properties).flatMap(([key, property]) => findIds(property, root, [...path, key])),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((one) => findIds(one, root, path)),
    ...(items ? findIds(items, root, [...path, '[]']) : []),
  ];
  return isId && inner.length === 0 ? [path] : inner;
}

/** Returns a copy of `value` with this id in the field. */
export function withField(value: unknown, [key, ...rest]: string[], id: string): unknown {
  if (key === undefined) return id;
  if (key === '[]') return [withField(undefined, rest, id)];
  const fields = (value ?? {}) as Record<string, unknown>;
  return { ...fields, [key]: withField(fields[key], rest, id) };
}
