// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { takeTokenFromAddress } from "./api/token.ts";
import { App } from "./shell/App.tsx";
import { startFollowing } from "./state/live.ts";
import { followAddress } from "./state/route.ts";
import { startTheme } from "./state/theme.ts";
import { startServing } from "./state/serving.ts";
import { followToken, startTraceState } from "./state/trace.ts";
import "./generated/looks.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/live.css";
import "./styles/table.css";
import "./styles/views.css";
import "./styles/charts.css";
import "./styles/jobs.css";

takeTokenFromAddress();
followToken();
followAddress();
startTheme();
startTraceState();
startServing();
startFollowing();
render(<App />, document.getElementById("app")!);
