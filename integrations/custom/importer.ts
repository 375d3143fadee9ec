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
  /** Exactly one of `url` and `document`; of `mcp` always `url`. */
  url?: string | undefined;
  /** Text in JSON or YAML, or the object itself. */
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
  /** Overrides the document; null: no account is needed. */
  auth?: readonly AuthDocument[] | null | undefined;
  baseUrl?: string | undefined;
  serverVariables?: Readonly<Record<string, string>> | undefined;
  /** Default true. */
  trustAnnotations?: boolean | undefined;
}

/** Credentials with which the document, or the list of tools, is fetched. */
export type FetchAuth = { type: 'bearer'; token: string } | { type: 'basic'; username: string; password: string };

/** What a thread reads, or compares. Each kind has its own slots. */
export type SlotKind = 'document' | 'server' | 'comparison';

/** What an importer can reach. */
export interface ImportContext {
  /** The guarded client. It also refuses addresses of the service itself. */
  outbound: ServiceOutbound;
  /**
   * Runs work in a thread when a slot is free. The slots limit the memory of all threads. Throws
   * RATE_LIMITED if none becomes free in time.
   */
  withSlot<Result>(kind: SlotKind, work: () => Promise<Result>): Promise<Result>;
  signal: AbortSignal;
  /**
   * At a refresh, the names of the current actions by their source: `GET /pets/{petId}`, or the
   * name of a tool. The same source keeps its name.
   */
  names: ReadonlyMap<string, string>;
  /** At a refresh, the current auth methods. */
  knownAuth?: readonly AuthDocument[] | null | undefined;
}

/**
 * Reads a document or a server. Throws GatewayError with the codes of import contract 2. A document
 * is parsed in a thread that can be stopped, and `packIntegration` runs there too.
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

/** Where an integration came from, as far as the importer knows it. */
interface ImportedSource {
  /** Such as `openapi-3.1`, `swagger-2.0`, `declarative-1` or `mcp-2025-06-18`. */
  format: string;
  documentVersion: string | null;
  /** SHA-256, hex, of the document. */
  documentHash: string;
}
