import type { ServiceOutbound } from '../../domain/outbound.ts';
import type { AuthDocument } from '../declarative/document.ts';
import type { Integration } from '../definition.ts';
import type { ImportReport } from './import-report.ts';
import type { ImportKind } from './imported-integration.ts';
import type { PackedIntegration } from './pack-integration.ts';
import type { Selection } from './select.ts';

/** A validated request to import (import contract 1). */
export interface ImportInput {
  name: string;
  /** Exactly one of `url` and `document` is set. For `mcp` it is always `url`. */
  url?: string | undefined;
  /** Text in JSON or YAML, or an object. */
  document?: unknown;
  displayName?: string | undefined;
  description?: string | undefined;
  categories?: Integration['categories'] | undefined;
  logoUrl?: string | null | undefined;
  select?: Selection | undefined;
  /** Sent to the origin of `url` only. Secret. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent to the origin of `url` only. Secret. */
  fetchAuth?: FetchAuth | undefined;
  /** These override the auth methods of the document. Null: no account is needed. */
  auth?: readonly AuthDocument[] | null | undefined;
  baseUrl?: string | undefined;
  serverVariables?: Readonly<Record<string, string>> | undefined;
  /** Default: true. */
  trustAnnotations?: boolean | undefined;
}

/** Credentials for fetching the document or the list of tools. */
export type FetchAuth = { type: 'bearer'; token: string } | { type: 'basic'; username: string; password: string };

/** Each kind of work has its own slots. */
export type SlotKind = 'document' | 'server' | 'comparison';

/** The services and data that an importer can use. */
export interface ImportContext {
  /** Also refuses addresses of the service itself. */
  outbound: ServiceOutbound;
  /**
   * Runs `work`, which starts a thread, when a slot is free. Throws RATE_LIMITED if none becomes
   * free in time.
   */
  withSlot<Result>(kind: SlotKind, work: () => Promise<Result>): Promise<Result>;
  signal: AbortSignal;
  /**
   * At a refresh: the name of each current action, by its source. A source is an operation, such as
   * `GET /pets/{petId}`, or the name of a tool. An action with the same source keeps its name.
   */
  names: ReadonlyMap<string, string>;
  /** At a refresh: the current auth methods. */
  knownAuth?: readonly AuthDocument[] | null | undefined;
}

/** Reads a document or a server. Throws the errors of import contract 2. */
export type Importer = (input: ImportInput, context: ImportContext) => Promise<Imported>;

/** The importers, by kind. */
export type Importers = Readonly<Partial<Record<ImportKind, Importer>>>;

/** The result of an importer. */
export interface Imported {
  integration: PackedIntegration;
  report: ImportReport;
  source: ImportedSource;
}

interface ImportedSource {
  /** Such as `openapi-3.1`, `swagger-2.0`, `declarative-1` or `mcp-2025-06-18`. */
  format: string;
  documentVersion: string | null;
  /** SHA-256, hexadecimal. */
  documentHash: string;
}
