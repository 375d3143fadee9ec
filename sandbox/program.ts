export const PROGRAM_LANGUAGES = ['python', 'shell'] as const;
export type ProgramLanguage = (typeof PROGRAM_LANGUAGES)[number];

/** A file of a program's workspace folder, by its path from there. */
export interface ProgramFile {
  path: string;
  content: Buffer;
  isExecutable: boolean;
}

/** What one confined program is asked to run. */
export interface ProgramRequest {
  language: ProgramLanguage;
  code: string;
  /** Its workspace folder at the start. */
  files: readonly ProgramFile[];
  /** Folders that are in it though no file is. */
  folders?: readonly string[];
  /** Whether the workspace folder is wanted back. */
  keepsFiles: boolean;
  timeMs: number;
}

/** Ends of a program that are not its own exit. */
export type ProgramFailure =
  | 'CODE_TIMEOUT'
  | 'CODE_MEMORY'
  | 'CODE_CANCELED'
  | 'CODE_CRASHED'
  | 'CODE_FILES_TOO_LARGE'
  | 'CODE_INTERPRETER_MISSING'
  | 'CODE_UNAVAILABLE';

/** What a program wrote, cut where it wrote too much. */
export interface ProgramOutput {
  stdout: string;
  stderr: string;
  truncated: boolean;
}

export type ProgramResult = ProgramOutput & { durationMs: number } & (
    | {
        kind: 'exited';
        exitCode: number;
        /** Its workspace folder as it left it; empty when it was not wanted. */
        files: ProgramFile[];
        /** What is in the folder but is no plain file: links, sockets, names that are no text. */
        notKept: string[];
      }
    | { kind: 'failed'; code: ProgramFailure; message: string }
  );
