import type { Screen } from '../screen.ts';
import { policyActScreens } from './act-screens.ts';
import { policyListScreen } from './list-screen.ts';
import { policyFormScreens } from './policy-screen.ts';
import { stopAskingScreen } from './stop-asking-screen.ts';

/** All screens of approval policies. */
export const policyScreens: readonly Screen[] = [policyListScreen, ...policyFormScreens, stopAskingScreen, ...policyActScreens];
