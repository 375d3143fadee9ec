import type { Db } from '../../infra/database.ts';
import { FREE, type Passage } from '../chaos/fault-injector.ts';
import { openPostgresWire } from '../chaos/postgres-wire.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { cloneDatabase } from '../support/system.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';

const CUT: Passage = { before: async () => 'drop', after: async () => 'drop' };

/** An API whose SQL statements are recorded. */
export interface CountedBed {
  bed: ApiBed;
  databaseUrl: string;
  /**
   * A connection to the database of the API. Its statements are not recorded. `bed.patient` is
   * connected to another database.
   */
  patient: Db;
  /** Returns the names of the statements since the previous call, in order. */
  takeStatements(): string[];
  /** Like `takeStatements`, without clearing the list. */
  statements(): readonly string[];
  /** Breaks the API's database connections. Statements fail until `mendDatabase` is called. */
  cutDatabase(): Promise<void>;
  mendDatabase(): void;
  close(): Promise<void>;
}

/** Opens an API that reaches its database through a proxy. */
export async function openCountedBed(): Promise<CountedBed> {
  const database = await cloneDatabase();
  const seen: string[] = [];
  const url = new URL(database.url);
  let isCut = false;
  const wire = await openPostgresWire({ host: url.hostname, port: Number(url.port) }, ({ label }) => {
    seen.push(label);
    return isCut ? CUT : FREE;
  });
  url.port = String(wire.port);
  const bed = await openApiBed({ DATABASE_URL: url.href });
  const patient = patientDatabase(database.url);
  return {
    ...{ bed, patient, databaseUrl: database.url },
    takeStatements: () => seen.splice(0),
    statements: () => seen,
    cutDatabase: async () => {
      isCut = true;
      await patient.raw(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    },
    mendDatabase: () => {
      isCut = false;
    },
    close: async () => {
      await bed.close();
      await patient.destroy();
      await wire.close();
      await database.drop();
    },
  };
}
