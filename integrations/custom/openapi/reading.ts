import type { Dialect, OpenapiDocument } from './dialect.ts';
import type { Schemas } from './schemas.ts';

/** The document that is being read, its dialect, and its schemas. */
export interface Reading {
  document: OpenapiDocument;
  dialect: Dialect;
  schemas: Schemas;
}
