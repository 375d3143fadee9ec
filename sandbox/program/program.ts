export type ProgramLanguage = 'python' | 'shell';

/** `path` is relative to the workspace folder. */
export interface ProgramFile {
  path: string;
  content: Buffer;
  isExecutable: boolean;
}

/** A program to run. */
export interface ProgramRequest {
  language: ProgramLanguage;
  code: string;
  files: readonly ProgramFile[];
  /** Folders to create even if they contain no file. */
  folders?: readonly string[];
  keepsFiles: boolean;
  timeMs: number;
}

/** Why a result has no exit code. */
export type ProgramFailure =
  | 'CODE_TIMEOUT'
  | 'CODE_MEMORY'
  | 'CODE_CANCELED'
  | 'CODE_CRASHED'
  | 'CODE_FILES_TOO_LARGE'
  | 'CODE_INTERPRETER_MISSING'
  | 'CODE_UNAVAILABLE';

/** Output, truncated to a limit. */
export interface ProgramOutput {
  stdout: string;
  stderr: string;
  truncated: boolean;
}

/** How a program ended. */
export type ProgramResult = ProgramOutput & { durationMs: number } & (
    | {
        kind: 'exited';
        exitCode: number;
        /** Empty unless `keepsFiles` is set. */
        files: ProgramFile[];
        /** Entries that are no plain files, such as links, or whose path is invalid. */
        notKept: string[];
      }
    | { kind: 'failed'; code: ProgramFailure; message: string }
  );
