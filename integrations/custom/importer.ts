import type { ServiceOutbound } from '../../domain/outbound.ts';
import type { AuthDocument } from '../declarative/document.ts';
import type { Integration } from '../definition.ts';
import type { ImportReport } from './import-report.ts';
import type { ImportKind } from './imported-integration.ts';
import type { PackedIntegration } from './pack-integration.ts';
import type { Selection } from './select.ts';

/** A request to import, with its form validated (import contract 1). */
export interface ImportInput {
  /** Name of the integration in its organization. */
  name: string;
  /** Exactly one of `url` and `document` is set. For `mcp` it is always `url`. */
  url?: string | undefined;
  /** The document as text in JSON or YAML, or as an object. */
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
  /** Auth methods that override those of the document. Null: no account is needed. */
  auth?: readonly AuthDocument[] | null | undefined;
  baseUrl?: string | undefined;
  serverVariables?: Readonly<Record<string, string>> | undefined;
  /** Whether the annotations of an MCP server are trusted. Default: true. */
  trustAnnotations?: boolean | undefined;
}

/** Credentials for fetching the document or the list of tools. */
export type FetchAuth = { type: 'bearer'; token: string } | { type: 'basic'; username: string; password: string };

/** The kind of work of a thread. Each kind has its own slots. */
export type SlotKind = 'document' | 'server' | 'comparison';

/** The services and data that an importer can use. */
export interface ImportContext {
  /** The guarded HTTP client, which also refuses addresses of the service itself. */
  outbound: ServiceOutbound;
  /**
   * Runs `work`, which starts a thread, when a slot is free. Slots limit the memory of all threads.
   * Throws RATE_LIMITED if no slot becomes free in time.
   */
  withSlot<Result>(kind: SlotKind, work: () => Promise<Result>): Promise<Result>;
  signal: AbortSignal;
  /**
   * At a refresh, the names of the current actions by source: `GET /pets/{petId}`, or the name of a
   * tool. An action with the same source keeps its name.
   */
  names: ReadonlyMap<string, string>;
  /** At a refresh, the current auth methods. */
  knownAuth?: readonly AuthDocument[] | null | undefined;
}

/**
 * Reads a document or a server. Throws GatewayError with the codes of import contract 2. Parsing
 * and `packIntegration` run in a thread that can be stopped.
 */
export type Importer = (input: ImportInput, context: ImportContext) => Promise<Imported>;

/** The importers, by kind. */
export type Importers = Readonly<Partial<Record<ImportKind, Importer>>>;

/** The result of an importer. */
export interface Imported {
  integration: PackedIntegration;
  report: ImportReport;
  source: ImportedSource;
}

/** The source of an integration, as far as the importer knows it. */
interface ImportedSource {
  /** The format, such as `openapi-3.1`, `swagger-2.0`, `declarative-1` or `mcp-2025-06-18`. */
  format: string;
  documentVersion: string | null;
  /** SHA-256 of the document, in hexadecimal. */
  documentHash: string;
}
