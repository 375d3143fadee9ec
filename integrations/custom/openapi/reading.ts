import type { Dialect, OpenapiDocument } from './dialect.ts';
import type { Schemas } from './schemas.ts';

/** The document that is read, and what all its operations share. */
export interface Reading {
  document: OpenapiDocument;
  dialect: Dialect;
  schemas: Schemas;
}
