import { readConfig, required, SetupError } from '../infra/config.ts';
import { openTemporalApi } from '../infra/temporal-api.ts';
import { openTemporalUi } from './temporal-ui.ts';
import { remoteUiFiles } from './ui-files.ts';

/** The Temporal UI for an external Temporal server (docker-compose.yml). */
try {
  const { host, temporal } = readConfig();
  const ui = await openTemporalUi({
    listenHost: host,
    port: temporal.uiPort,
    publicUrl: temporal.uiUrl,
    files: remoteUiFiles(required(temporal.uiFiles, 'TEMPORAL_UI_FILES')),
    api: openTemporalApi(required(temporal.address, 'TEMPORAL_ADDRESS')),
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ui.close().then(() => process.exit(0)));
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
