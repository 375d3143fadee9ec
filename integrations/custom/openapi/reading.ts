import type { Dialect, OpenapiDocument } from './dialect.ts';
import type { Schemas } from './schemas.ts';

/** A document that is being read. */
export interface Reading {
  document: OpenapiDocument;
  dialect: Dialect;
  schemas: Schemas;
}
