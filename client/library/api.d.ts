// Long because it is made: `npm run client-types` writes it from /openapi.json.
// SHA-256 of what it was made from: 52ddb012d87c0b789f78ad920254233b2e91b42d8a893dea9e175f85c619ea5a
export interface paths {
  '/v1/workbooks/{id}/branches/{branch}/ops': {
    /** Journal: read the operations of a branch */
    get: operations['getWorkbooksBranchesOps'];
    /** Submit operations: edit cells, rows, sheets, tables */
    post: operations['postWorkbooksBranchesOps'];
  };
  '/v1/workbooks/{id}/branches/{branch}/state': {
    /** State: sheets, names, tables and settings of a branch, without cells */
    get: operations['getWorkbooksBranchesState'];
  };
  '/v1/workbooks/{id}/branches/{branch}/flush': {
    /** Flush: put the end of the journal into object storage */
    post: operations['postWorkbooksBranchesFlush'];
  };
  '/v1/workbooks/{id}/branches/{branch}/commit': {
    /** Commit: name (tag) the position that a branch is at */
    post: operations['postWorkbooksBranchesCommit'];
  };
  '/v1/workbooks/{id}/branches/{branch}/checkpoint': {
    /** Checkpoint: store the state of a branch (a snapshot) */
    post: operations['postWorkbooksBranchesCheckpoint'];
  };
  '/v1/workbooks/{id}/commits': {
    /** Commits: list them, newest first */
    get: operations['getWorkbooksCommits'];
  };
  '/v1/workbooks/{id}/branches': {
    /** Branches: list them, oldest first */
    get: operations['getWorkbooksBranches'];
    /** Create a branch (fork) at any position */
    post: operations['postWorkbooksBranches'];
  };
  '/v1/workbooks/{id}/branches/{branch}': {
    /** Delete a branch */
    delete: operations['deleteWorkbooksBranchesById'];
  };
  '/v1/workbooks/{id}/branches/{branch}/restore': {
    /** Restore an archived branch */
    post: operations['postWorkbooksBranchesRestore'];
  };
  '/v1/workbooks/{id}/merges': {
    /** Merges: list them, newest first */
    get: operations['getWorkbooksMerges'];
    /** Merge: propose to merge a branch into another */
    post: operations['postWorkbooksMerges'];
  };
  '/v1/workbooks/{id}/merges/{mid}': {
    /** Merge: state, counts and links of one */
    get: operations['getWorkbooksMergesById'];
  };
  '/v1/workbooks/{id}/merges/{mid}/conflicts': {
    /** Conflicts: list what both sides changed, each in its way */
    get: operations['getWorkbooksMergesConflicts'];
  };
  '/v1/workbooks/{id}/merges/{mid}/resolve': {
    /** Resolve conflicts, one by one or in bulk */
    post: operations['postWorkbooksMergesResolve'];
  };
  '/v1/workbooks/{id}/merges/{mid}/approve': {
    /** Approve a merge, and apply it once the policy is met */
    post: operations['postWorkbooksMergesApprove'];
  };
  '/v1/workbooks/{id}/merges/{mid}/abort': {
    /** Abort: give a merge up */
    post: operations['postWorkbooksMergesAbort'];
  };
  '/v1/workbooks/{id}/merges/{mid}/diff': {
    /** Merge diff: what a merge does to its target */
    get: operations['getWorkbooksMergesDiff'];
  };
  '/v1/workbooks/{id}/merges/{mid}/units': {
    /** Merge units: group the changes, and take or leave each group */
    put: operations['putWorkbooksMergesUnits'];
  };
  '/v1/workbooks': {
    /** List your workbooks, newest first, or their addresses */
    get: operations['getWorkbooks'];
    /** Create a workbook, empty, from rows, or from a file */
    post: operations['postWorkbooks'];
  };
  '/v1/workbooks/{id}': {
    /** Get a workbook */
    get: operations['getWorkbooksById'];
    /** Archive (delete) a workbook, or purge an archived one */
    delete: operations['deleteWorkbooksById'];
    /** Rename a workbook */
    patch: operations['patchWorkbooksById'];
  };
  '/v1/workbooks/{id}/collaborators': {
    /** Collaborators: who has a role in a workbook (sharing) */
    get: operations['getWorkbooksCollaborators'];
  };
  '/v1/workbooks/{id}/collaborators/{user}': {
    /** Share a workbook: give a user a role */
    put: operations['putWorkbooksCollaboratorsById'];
    /** Take away the role of a user, or give up your own */
    delete: operations['deleteWorkbooksCollaboratorsById'];
  };
  '/v1/workbooks/{id}/slice': {
    /** Slice: read ranges */
    get: operations['getWorkbooksSlice'];
  };
  '/v1/workbooks/{id}/eval-stats': {
    /** Evaluation statistics: what evaluating a workbook takes */
    get: operations['getWorkbooksEvalStats'];
  };
  '/v1/workbooks/{id}/eval-ceiling': {
    /** Evaluation ceiling: move that of a workbook (development) */
    post: operations['postWorkbooksEvalCeiling'];
  };
  '/v1/workbooks/{id}/branches/{branch}/export': {
    /** Export a branch as a file */
    get: operations['getWorkbooksBranchesExport'];
  };
  '/v1/workbooks/{id}/values': {
    /** Values: read all of a workbook */
    get: operations['getWorkbooksValues'];
    /** Cancel the computation of all values */
    delete: operations['deleteWorkbooksValues'];
  };
  '/v1/workbooks/{id}/find': {
    /** Find: search cells for a text */
    get: operations['getWorkbooksFind'];
  };
  '/v1/workbooks/{id}/edge': {
    /** Edge: go to where the filled cells end or begin */
    get: operations['getWorkbooksEdge'];
  };
  '/v1/workbooks/{id}/scenario': {
    /** Scenario: evaluate a what-if, and formulas of your own */
    post: operations['postWorkbooksScenario'];
  };
  '/v1/workbooks/{id}/formats': {
    /** Formats: read how ranges look */
    get: operations['getWorkbooksFormats'];
  };
  '/v1/workbooks/{id}/blame': {
    /** Blame: who wrote the cells of a range */
    get: operations['getWorkbooksBlame'];
  };
  '/v1/workbooks/{id}/branches/{branch}/tables': {
    /** Create a table, with a sheet of its own or over cells that are there */
    post: operations['postWorkbooksBranchesTables'];
  };
  '/v1/workbooks/{id}/tables': {
    /** Tables: list them, with schema and count of rows */
    get: operations['getWorkbooksTables'];
  };
  '/v1/workbooks/{id}/tables/{tid}': {
    /** Table: schema, key, place and count of rows */
    get: operations['getWorkbooksTablesById'];
  };
  '/v1/workbooks/{id}/branches/{branch}/tables/{tid}': {
    /** Delete (drop) a table */
    delete: operations['deleteWorkbooksBranchesTablesById'];
    /** Change a table: its name, its key, its columns */
    patch: operations['patchWorkbooksBranchesTablesById'];
  };
  '/v1/workbooks/{id}/branches/{branch}/tables/{tid}/rows': {
    /** Write rows of a table: upsert, import or delete */
    post: operations['postWorkbooksBranchesTablesRows'];
  };
  '/v1/workbooks/{id}/row-writes/{wid}': {
    /** Write of rows: see how far it is, and what came of it */
    get: operations['getWorkbooksRowWritesById'];
    /** Write of rows: cancel it */
    delete: operations['deleteWorkbooksRowWritesById'];
  };
  '/v1/workbooks/{id}/tables/{tid}/rows': {
    /** Read rows of a table: pages, by key, ordered, filtered, grouped */
    get: operations['getWorkbooksTablesRows'];
  };
  '/v1/workbooks/{id}/diff': {
    /** Diff: compare two positions of a workbook */
    get: operations['getWorkbooksDiff'];
  };
  '/v1/workbooks/{id}/tables/{tid}/changes': {
    /** Table changes between two positions, row by row */
    get: operations['getWorkbooksTablesChanges'];
  };
  '/v1/workbooks/{id}/matches': {
    /** Matches: list them, newest first */
    get: operations['getWorkbooksMatches'];
    /** Match: join two columns by what they mean */
    post: operations['postWorkbooksMatches'];
  };
  '/v1/workbooks/{id}/matches/{mid}': {
    /** Match: how far it is, and its rows once it is done */
    get: operations['getWorkbooksMatchesById'];
    /** Match: cancel it */
    delete: operations['deleteWorkbooksMatchesById'];
  };
  '/v1/workbooks/{id}/matches/{mid}/rows': {
    /** Match: decide about rows yourself */
    patch: operations['patchWorkbooksMatchesRows'];
  };
  '/v1/workbooks/{id}/matches/{mid}/apply': {
    /** Match: write its accepted pairs to a branch */
    post: operations['postWorkbooksMatchesApply'];
  };
  '/v1/match-providers': {
    /** Match: list the providers that there are */
    get: operations['getMatchProviders'];
  };
  '/v1/workbooks/{id}/settings': {
    /** Settings: the policy of a workbook */
    get: operations['getWorkbooksSettings'];
    /** Settings: replace the policy of a workbook */
    put: operations['putWorkbooksSettings'];
  };
  '/v1/workbooks/{id}/restore': {
    /** Restore an archived workbook */
    post: operations['postWorkbooksRestore'];
  };
  '/v1/workbooks/{id}/wake': {
    /** Wake: bring a workbook into memory before it is needed */
    post: operations['postWorkbooksWake'];
  };
  '/v1/workbooks/{id}/topology': {
    /** Topology: where a workbook is kept and who serves it */
    post: operations['postWorkbooksTopology'];
  };
  '/v1/workbooks/{id}/ws': {
    /** Websocket: edit a branch together, live */
    get: operations['getWorkbooksWs'];
  };
  '/v1/workbooks/{id}/ws-ticket': {
    /** Websocket ticket: for pages, which cannot send a header */
    post: operations['postWorkbooksWsTicket'];
  };
  '/v1/workbooks/{id}/branches/{branch}/events': {
    /** Events: follow the operations of a branch as server-sent events */
    get: operations['getWorkbooksBranchesEvents'];
  };
  '/v1/workbooks/{id}/webhooks': {
    /** Webhooks of a workbook */
    get: operations['getWorkbooksWebhooks'];
    /** Webhook: have events of a workbook sent to an address */
    post: operations['postWorkbooksWebhooks'];
  };
  '/v1/workbooks/{id}/webhooks/{webhook}': {
    /** Webhook: what was sent, what waits, and why it was not taken */
    get: operations['getWorkbooksWebhooksById'];
    /** Remove a webhook, and what waits to be sent to it */
    delete: operations['deleteWorkbooksWebhooksById'];
  };
  '/v1/workbooks/{id}/webhooks/{webhook}/replay': {
    /** Webhook: send again what failed, and enable it */
    post: operations['postWorkbooksWebhooksReplay'];
  };
  '/v1/workbooks/{id}/records': {
    /** Records: read notes, comments, rules, links and others */
    get: operations['getWorkbooksRecords'];
  };
  '/v1/workbooks/{id}/verify': {
    /** Verify that everything stored of a workbook is what was written */
    post: operations['postWorkbooksVerify'];
  };
  '/v1/tlog/checkpoint': {
    /** The newest signed checkpoint */
    get: operations['getTlogCheckpoint'];
  };
  '/v1/tlog/tile/{rest}': {
    /** A tile of hashes, or a bundle of entries */
    get: operations['getTlogTileById'];
  };
  '/v1/tlog/past/{rest}': {
    /** A file of a log that was ended */
    get: operations['getTlogPastById'];
  };
  '/v1/tlog/proof': {
    /** The proof that an entry is in the log */
    get: operations['getTlogProof'];
  };
  '/v1/tlog/proofs': {
    /** Proofs for many entries, from one checkpoint */
    post: operations['postTlogProofs'];
  };
  '/v1/tlog/consistency': {
    /** The proof that the log begins with all of an older one */
    get: operations['getTlogConsistency'];
  };
  '/v1/tlog/status': {
    /** How far the log is, and whether it goes on */
    get: operations['getTlogStatus'];
  };
  '/v1/tlog/policy': {
    /** Whom to trust: the keys of the log and of its witnesses */
    get: operations['getTlogPolicy'];
  };
  '/v1/workbooks/{id}/proofs': {
    /** Proofs of a whole history, to be checked offline */
    get: operations['getWorkbooksProofs'];
  };
  '/v1/account/usage': {
    /** Usage: what is used this month, and what the plan allows */
    get: operations['getAccountUsage'];
  };
  '/mcp': {
    /** MCP: the stream of a session (version 2025-11-25) */
    get: operations['getMcp'];
    /** MCP: tools, resources and prompts for language models */
    post: operations['postMcp'];
    /** MCP: end a session (version 2025-11-25) */
    delete: operations['deleteMcp'];
  };
  '/health': {
    /** The process is alive; its dependencies are not asked */
    get: operations['getHealth'];
  };
  '/ready': {
    /** Says whether requests can be served now, and the state of each dependency */
    get: operations['getReady'];
  };
  '/metrics': {
    /** Counts for Prometheus; answered on loopback only, and to nobody behind a proxy */
    get: operations['getMetrics'];
  };
  '/agent/auth': {
    /** Register an agent */
    post: operations['postAgentAuth'];
  };
  '/agent/auth/claim': {
    /** Ask for a code to claim an agent */
    post: operations['postAgentAuthClaim'];
  };
  '/agent/auth/claim/complete': {
    /** Claim an agent with the code */
    post: operations['postAgentAuthClaimComplete'];
  };
  '/agent/auth/me': {
    /** Returns the identity of a credential, and whether it is valid */
    get: operations['getAgentAuthMe'];
  };
  '/agent/auth/rotate': {
    /** Rotate: a new credential of the same identity */
    post: operations['postAgentAuthRotate'];
  };
  '/agent/auth/revoke': {
    /** Revoke a credential */
    post: operations['postAgentAuthRevoke'];
  };
  '/.well-known/oauth-protected-resource': {
    /** Where to get a credential (RFC 9728) */
    get: operations['getWellKnownOauthProtectedResource'];
  };
  '/.well-known/oauth-protected-resource/mcp': {
    /** The same for the MCP server (RFC 9728) */
    get: operations['getWellKnownOauthProtectedResourceMcp'];
  };
  '/.well-known/oauth-authorization-server': {
    /** The authorization server, and how agents register (RFC 8414) */
    get: operations['getWellKnownOauthAuthorizationServer'];
  };
  '/auth.md': {
    /** How an agent gets a key and is claimed, step by step */
    get: operations['getAuthMd'];
  };
  '/llms.txt': {
    /** Where a language model begins */
    get: operations['getLlmsTxt'];
  };
  '/robots.txt': {
    /** Pages for people may be read by crawlers, workbooks not (RFC 9309) */
    get: operations['getRobotsTxt'];
  };
  '/favicon.svg': {
    /** The icon of the pages */
    get: operations['getFaviconSvg'];
  };
  '/favicon.ico': {
    /** Leads to the icon, for browsers that ask here unasked */
    get: operations['getFaviconIco'];
  };
  '/': {
    /** Where everything is; a browser is led to the pages for people */
    get: operations['get'];
  };
  '/.well-known/security.txt': {
    /** Whom to tell of a weakness or a leaked key (RFC 9116) */
    get: operations['getWellKnownSecurityTxt'];
  };
  '/oauth2/token': {
    /** A code or a refresh token becomes an access token (RFC 6749) */
    post: operations['postOauth2Token'];
  };
  '/oauth2/revoke': {
    /** Revoke a token (RFC 7009) */
    post: operations['postOauth2Revoke'];
  };
  '/oauth2/introspect': {
    /** Returns what a token is worth (RFC 7662); with the secret of the service */
    post: operations['postOauth2Introspect'];
  };
  '/oauth2/register': {
    /** Register a client (RFC 7591) */
    post: operations['postOauth2Register'];
  };
  '/openapi.json': {
    /** This API as OpenAPI 3.1 */
    get: operations['getOpenapiJson'];
  };
  '/docs': {
    /** This API as a page */
    get: operations['getDocs'];
  };
  '/docs/{page}': {
    /** A page of the documentation as Markdown */
    get: operations['getDocsById'];
  };
  '/problems/{code}': {
    /** Explains an error code, and what to do about it */
    get: operations['getProblemsById'];
  };
}
export interface components {
  schemas: {
    BlamePage: {
      ref: components['schemas']['GetWorkbooksTablesRef'];
      sheet: string;
      complete: boolean;
      next: string | null;
      cells: {
        branch: string | null;
        seq: number;
        by: string;
        actor: string;
        writer: string;
        at: string;
        proof: string | null;
        kind: components['schemas']['SubmissionResultResultsKind'];
        opId: string | null;
        merge: components['schemas']['BlamePageCellsMerge'];
        cell: string;
        format: components['schemas']['Origin'] | null;
      }[];
      formats: {
        cell: string;
        format: components['schemas']['Origin'];
      }[];
    };
    BlamePageCellsMerge: {
      branch: string | null;
      seq: number;
      by: string;
      actor: string;
      writer: string;
      at: string;
      proof: string | null;
      id: string;
    } | null;
    BorderLine: {
      /** @enum {string} */
      style:
        | 'none'
        | 'thin'
        | 'medium'
        | 'thick'
        | 'dashed'
        | 'dotted'
        | 'double'
        | 'hair'
        | 'mediumDashed'
        | 'dashDot'
        | 'mediumDashDot'
        | 'dashDotDot'
        | 'mediumDashDotDot'
        | 'slantDashDot';
      color?: components['schemas']['Color'];
    };
    BranchState: {
      branch: string;
      head: number;
      stateHash: string;
      sheets: {
        id: string;
        name: string;
        index: number;
        rows: number;
        columns: number;
        used: string | null;
        properties: components['schemas']['BranchStateSheetsProperties'];
      }[];
      names: {
        name: string;
        scope: string | null;
        formula: string;
        comment?: string;
      }[];
      tables: {
        id: string;
        name: string;
        sheet: string;
        sheetId: string;
        range: string;
        keyColumn: string | null;
        schema: components['schemas']['TableCreationSchema'];
        headerRow: boolean;
        totalsRow: boolean;
      }[];
      records: {
        [key: string]: number;
      };
      settings: {
        [key: string]: boolean | string | number | string[];
      };
    };
    BranchStateSheetsProperties: {
      colPx?: number;
      fileSheet?: string;
      freezeCols?: number;
      freezeRows?: number;
      gridlines?: boolean;
      hidden?: boolean | 'veryHidden';
      rowPx?: number;
      rtl?: boolean;
      summaryBelow?: boolean;
      summaryRight?: boolean;
      tabColor?: components['schemas']['Color'];
      zoom?: number;
    };
    CellStyle: {
      numberFormat?: string | null;
      bold?: boolean | null;
      italic?: boolean | null;
      underline?:
        | (boolean | ('none' | 'single' | 'double' | 'singleAccounting' | 'doubleAccounting'))
        | null;
      strike?: boolean | null;
      script?: ('none' | 'super' | 'sub') | null;
      font?: string | null;
      size?: number | null;
      color?: components['schemas']['Color'] | null;
      fill?: components['schemas']['Fill'] | null;
      align?:
        | (
            | 'general'
            | 'left'
            | 'center'
            | 'right'
            | 'fill'
            | 'justify'
            | 'centerContinuous'
            | 'distributed'
          )
        | null;
      valign?: ('top' | 'center' | 'bottom' | 'justify' | 'distributed') | null;
      wrap?: boolean | null;
      shrink?: boolean | null;
      rotation?: components['schemas']['CellStyleChangesRotation'];
      indent?: number | null;
      border?: components['schemas']['CellStyleChangesBorder'];
      locked?: boolean | null;
      hidden?: boolean | null;
    };
    CellStyleChanges: {
      numberFormat?: string | null;
      bold?: boolean | null;
      italic?: boolean | null;
      underline?:
        | (boolean | ('none' | 'single' | 'double' | 'singleAccounting' | 'doubleAccounting'))
        | null;
      strike?: boolean | null;
      script?: ('none' | 'super' | 'sub') | null;
      font?: string | null;
      size?: number | null;
      color?: components['schemas']['Color'] | null;
      fill?: components['schemas']['Fill'] | null;
      align?:
        | (
            | 'general'
            | 'left'
            | 'center'
            | 'right'
            | 'fill'
            | 'justify'
            | 'centerContinuous'
            | 'distributed'
          )
        | null;
      valign?: ('top' | 'center' | 'bottom' | 'justify' | 'distributed') | null;
      wrap?: boolean | null;
      shrink?: boolean | null;
      rotation?: components['schemas']['CellStyleChangesRotation'];
      indent?: number | null;
      border?: components['schemas']['CellStyleChangesBorder'];
      locked?: boolean | null;
      hidden?: boolean | null;
      named?: string | null;
    };
    CellStyleChangesBorder: {
      top?: components['schemas']['BorderLine'] | null;
      bottom?: components['schemas']['BorderLine'] | null;
      left?: components['schemas']['BorderLine'] | null;
      right?: components['schemas']['BorderLine'] | null;
      diagonalUp?: components['schemas']['BorderLine'] | null;
      diagonalDown?: components['schemas']['BorderLine'] | null;
    } | null;
    CellStyleChangesRotation: (number | 'vertical') | null;
    CellmergeAdd: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cellmerge.add';
      payload: components['schemas']['CellmergeAddPayload'];
    };
    CellmergeAddPayload: {
      sheet?: string;
      range: string;
    };
    CellmergeRemove: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cellmerge.remove';
      payload: components['schemas']['CellmergeAddPayload'];
    };
    CellsSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cells.set';
      payload: {
        sheet?: string;
        cells: {
          a1: string;
          input?: components['schemas']['Input'];
          fmt?: string;
          expect?: components['schemas']['ExpectedInput'];
          array?: string;
          /** @constant */
          legacy?: true;
        }[];
        raw?: boolean;
        parse?: boolean;
      };
    };
    CfDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cf.delete';
      payload: components['schemas']['ValidationDeletePayload'];
    };
    CfMove: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cf.move';
      payload: {
        id: string;
        before?: string;
        after?: string;
        priority?: number;
      };
    };
    CfSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cf.set';
      payload: {
        id?: string;
        sheet?: string;
        ranges: string[];
        rule:
          | {
              /** @constant */
              type: 'cellIs';
              /** @enum {string} */
              operator:
                | 'between'
                | 'notBetween'
                | 'equal'
                | 'notEqual'
                | 'lessThan'
                | 'lessThanOrEqual'
                | 'greaterThan'
                | 'greaterThanOrEqual';
              formula1: number | string;
              formula2?: number | string;
            }
          | {
              /** @constant */
              type: 'expression';
              formula1: string;
            }
          | {
              /** @constant */
              type: 'colorScale';
              points: {
                /** @enum {string} */
                at: 'min' | 'max' | 'num' | 'percent' | 'percentile' | 'formula';
                value?: number | string;
                color: components['schemas']['CfSetPayloadRulePointsColor'];
              }[];
            }
          | {
              /** @constant */
              type: 'dataBar';
              min: components['schemas']['CfSetPayloadRuleMin'];
              max: components['schemas']['CfSetPayloadRuleMin'];
              color: components['schemas']['CfSetPayloadRulePointsColor'];
              showValue?: boolean;
              minLength?: number;
              maxLength?: number;
            }
          | {
              /** @constant */
              type: 'iconSet';
              icons: string;
              points: {
                /** @enum {string} */
                at: 'min' | 'max' | 'num' | 'percent' | 'percentile' | 'formula';
                value?: number | string;
                above?: boolean;
              }[];
              reverse?: boolean;
              showValue?: boolean;
            }
          | {
              /** @constant */
              type: 'top10';
              rank: number;
              percent?: boolean;
              bottom?: boolean;
            }
          | {
              /** @constant */
              type: 'aboveAverage';
              below?: boolean;
              equal?: boolean;
              deviations?: number;
            }
          | {
              /** @enum {string} */
              type: 'containsText' | 'notContainsText' | 'beginsWith' | 'endsWith';
              text?: string;
              formula1?: string;
            }
          | {
              /** @constant */
              type: 'timePeriod';
              /** @enum {string} */
              period:
                | 'today'
                | 'yesterday'
                | 'tomorrow'
                | 'last7Days'
                | 'thisWeek'
                | 'lastWeek'
                | 'nextWeek'
                | 'thisMonth'
                | 'lastMonth'
                | 'nextMonth';
            }
          | {
              /** @enum {string} */
              type:
                | 'duplicateValues'
                | 'uniqueValues'
                | 'containsBlanks'
                | 'notContainsBlanks'
                | 'containsErrors'
                | 'notContainsErrors';
            };
        style?: {
          bold?: boolean;
          italic?: boolean;
          /** @enum {string} */
          underline?: 'single' | 'double' | 'none';
          strike?: boolean;
          color?: components['schemas']['CfSetPayloadRulePointsColor'];
          fill?: components['schemas']['CfSetPayloadRulePointsColor'];
          pattern?: {
            style: string;
            color?: components['schemas']['CfSetPayloadRulePointsColor'];
          };
          numberFormat?: string;
          border?: {
            left?: components['schemas']['CfSetPayloadStyleBorderLeft'];
            right?: components['schemas']['CfSetPayloadStyleBorderLeft'];
            top?: components['schemas']['CfSetPayloadStyleBorderLeft'];
            bottom?: components['schemas']['CfSetPayloadStyleBorderLeft'];
          };
        };
        stopIfTrue?: boolean;
        priority?: number;
      };
    };
    CfSetPayloadRuleMin: {
      /** @enum {string} */
      at: 'min' | 'max' | 'num' | 'percent' | 'percentile' | 'formula';
      value?: number | string;
    };
    CfSetPayloadRulePointsColor:
      | string
      | {
          theme: number;
          tint?: number;
        };
    CfSetPayloadStyleBorderLeft: {
      style: string;
      color?: components['schemas']['CfSetPayloadRulePointsColor'];
    };
    Changes:
      | {
          cells: components['schemas']['ChangesCells'][];
          total: number;
          errors: components['schemas']['ChangesCells'][];
          errorTotal: number;
          truncated: boolean;
        }
      | {
          unavailable: {
            code: string;
            detail: string;
          };
        };
    ChangesCells: {
      sheet: string;
      a1: string;
      before: components['schemas']['Value'];
      after: components['schemas']['Value'];
    };
    ChartDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'chart.delete';
      payload: components['schemas']['ValidationDeletePayload'];
    };
    ChartSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'chart.set';
      payload: components['schemas']['ImageSetPayload'];
    };
    Claimed: {
      credential: string;
      user_id: string;
      scopes: ('read' | 'write' | 'account')[];
      /** @enum {string} */
      mode: 'merge' | 'link';
      owner: {
        user_id: string;
        email: string;
      };
    } & {
      [key: string]: unknown;
    };
    Collaborators: {
      collaborators: {
        userId: string;
        /** @enum {string} */
        role: 'owner' | 'editor' | 'reviewer' | 'viewer';
        /** @enum {string} */
        kind: 'agent' | 'human';
        name: string;
        addedAt: string | null;
      }[];
    };
    Color:
      | string
      | {
          theme: number;
          tint?: number;
        };
    ColsDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cols.delete';
      payload: {
        sheet: string;
        from?: components['schemas']['ColsInsertPayloadBefore'];
        count?: number;
        spans?: components['schemas']['ColsDeletePayloadSpans'][];
      };
    };
    ColsDeletePayloadSpans: {
      from: components['schemas']['ColsInsertPayloadBefore'];
      count?: number;
    };
    ColsGroup: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cols.group';
      payload: {
        sheet: string;
        from?: components['schemas']['ColsInsertPayloadBefore'];
        count?: number;
        spans?: components['schemas']['ColsDeletePayloadSpans'][];
        level?: number;
        collapsed?: boolean;
      };
    };
    ColsHide: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cols.hide';
      payload: {
        sheet: string;
        from?: components['schemas']['ColsInsertPayloadBefore'];
        count?: number;
        spans?: components['schemas']['ColsDeletePayloadSpans'][];
        hidden?: boolean;
      };
    };
    ColsInsert: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cols.insert';
      payload: {
        sheet: string;
        before?: components['schemas']['ColsInsertPayloadBefore'];
        after?: components['schemas']['ColsInsertPayloadBefore'];
        count?: number;
        /** @enum {string} */
        inherit?: 'before' | 'after' | 'none';
      };
    };
    ColsInsertPayloadBefore: number | string;
    ColsMove: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cols.move';
      payload: {
        sheet: string;
        from?: components['schemas']['ColsInsertPayloadBefore'];
        count?: number;
        spans?: components['schemas']['ColsDeletePayloadSpans'][];
        before: components['schemas']['ColsInsertPayloadBefore'];
      };
    };
    ColsSize: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'cols.size';
      payload: {
        sheet: string;
        from?: components['schemas']['ColsInsertPayloadBefore'];
        count?: number;
        spans?: components['schemas']['ColsDeletePayloadSpans'][];
        px?: number;
        /** @constant */
        auto?: true;
      };
    };
    CommentAdd: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'comment.add';
      payload: {
        thread?: string;
        sheet?: string;
        a1?: string;
        range?: string;
        comment?: string;
        text: string;
        author?: string;
        at?: string;
      };
    };
    CommentDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'comment.delete';
      payload: {
        thread: string;
        comment?: string;
      };
    };
    CommentEdit: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'comment.edit';
      payload: {
        thread: string;
        comment: string;
        text: string;
      };
    };
    CommentReply: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'comment.reply';
      payload: {
        thread: string;
        comment?: string;
        text: string;
        author?: string;
        at?: string;
      };
    };
    CommentResolve: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'comment.resolve';
      payload: {
        thread: string;
        resolved: boolean;
      };
    };
    Commit: {
      branch: string;
      seq: number;
      ref: string;
      tag: string | null;
      message: string;
      stateHash: string;
      chainHash: string;
      flushedSeq: number;
      leafHash: string;
      /** @enum {string} */
      tlog: 'pending' | 'published';
      proof?: string;
    };
    Conflict: {
      id: string;
      kind: string;
      subtype?: string;
      /** @enum {string} */
      severity: 'conflict' | 'warning';
      /** @enum {string} */
      status: 'open' | 'resolved';
      unit: string | null;
      text: string;
      path: {
        [key: string]: unknown;
      };
      row?: {
        base: {
          [key: string]: unknown;
        } | null;
        ours: {
          [key: string]: unknown;
        } | null;
        theirs: {
          [key: string]: unknown;
        } | null;
      };
      base: components['schemas']['ConflictBase'];
      ours: components['schemas']['ConflictBase'];
      theirs: components['schemas']['ConflictBase'];
      choices: string[];
      resolution: components['schemas']['ConflictResolution'];
      previousResolution?: {
        choice: string;
        input?: unknown;
        prefer?: string;
        side?: string;
        newKey?: unknown;
        by: string;
        at: string;
      };
    };
    ConflictBase: {
      /** @enum {string} */
      change?: 'added' | 'modified' | 'removed' | 'moved' | 'formatted';
      input?: unknown;
      value?: unknown;
      cells?: {
        a1: string;
        input?: unknown;
        note?: unknown;
        comment?: unknown;
        link?: unknown;
        image?: unknown;
        chart?: unknown;
      }[];
      by?: string;
      actor?: string;
      writer?: string;
      at?: string;
      merge?: {
        id: string;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    ConflictResolution: {
      choice: string;
      input?: unknown;
      prefer?: string;
      side?: string;
      newKey?: unknown;
      by: string;
      at: string;
    } | null;
    CreatedBranch: {
      name: string;
      no: number;
      head: number;
      from: components['schemas']['CreatedBranchFrom'];
      vector: {
        [key: string]: number;
      };
      description: string | null;
      createdBy: string | null;
      createdAt: string;
      ttlDays: components['schemas']['CreatedBranchTtlDays'];
      stateHash: string | null;
    };
    CreatedBranchFrom: components['schemas']['CreatedBranchFrom2'] | null;
    CreatedBranchFrom2: {
      branch: string | null;
      seq: number;
    };
    CreatedBranchTtlDays: number | null;
    CreatedWebhook: {
      id: string;
      url: string;
      events: components['schemas']['PostWorkbooksWebhooksEvents'][];
      createdBy: string;
      createdAt: string;
      disabledAt: string | null;
      disabledBecause: string | null;
      secret: string;
    };
    CreatedWorkbook: {
      id: string;
      name: string;
      namespace: string;
      branch: string;
      head: number;
      sheets: {
        id: string;
        name: string;
        index: number;
        rows: number;
        columns: number;
        used: string | null;
        properties: components['schemas']['BranchStateSheetsProperties'];
      }[];
      dropped: {
        what: string;
        where?: string;
        count: number;
        why: string;
      }[];
    };
    DeleteWorkbooksBranchesById: {
      branch: string;
      /** @constant */
      state: 'deleted';
    };
    DeleteWorkbooksBranchesTablesById: {
      branch: string;
      seq: number;
      ref: string;
      table: components['schemas']['Table'];
      sheetDropped: boolean;
      cellsKept: boolean;
      users: {
        /** @enum {string} */
        kind: 'formula' | 'name' | 'rule' | 'column';
        where: string;
        count?: number;
      }[];
      errors: {
        sheet: string;
        a1: string;
        error: string;
      }[];
      errorTotal: number | null;
    };
    DeleteWorkbooksById:
      | {
          id: string;
          /** @constant */
          state: 'archived';
          archivedAt: string;
          confirm: string;
        }
      | {
          id: string;
          /** @constant */
          state: 'removed';
          receipt?: {
            leafHash: string;
            opening: string;
          };
        };
    DeleteWorkbooksValues: {
      ref: components['schemas']['Position'];
      cancelled: boolean;
    };
    DiffPage: {
      from: components['schemas']['GetWorkbooksTablesRef'];
      to: components['schemas']['GetWorkbooksTablesRef'];
      /** @enum {string} */
      relation: 'same' | 'ahead' | 'behind' | 'diverged';
      base: components['schemas']['CreatedBranchFrom2'] | null;
      summary: {
        cells: number;
        cellsAdded: number;
        cellsModified: number;
        cellsRemoved: number;
        rowsInserted: number;
        rowsDeleted: number;
        rowsMoved: number;
        colsInserted: number;
        colsDeleted: number;
        colsMoved: number;
        sheets: number;
        formats: number;
        names: number;
        tables: number;
        records: number;
        properties: number;
        settings: number;
        values?: number;
      };
      total: number;
      offset: number;
      limit: number;
      structure: {
        [key: string]: unknown;
      }[];
      cells: {
        sheet: string;
        a1: {
          from: string | null;
          to: string | null;
        };
        row: string;
        col: string;
        /** @enum {string} */
        change: 'added' | 'modified' | 'removed';
        before: components['schemas']['DiffPageCellsBefore'];
        after: components['schemas']['DiffPageCellsBefore'];
        /** @enum {string} */
        cause: 'edited' | 'moved';
        by?: string;
        actor?: string;
        writer?: string;
        at?: string;
        merge?: components['schemas']['DiffPageCellsMerge'];
      }[];
      collapsed: {
        sheet: string;
        range: string;
        /** @enum {string} */
        change: 'added' | 'modified' | 'removed';
        formula: string | null;
        count: number;
        before: unknown;
        after: unknown;
        /** @enum {string} */
        cause?: 'edited' | 'moved';
        by?: string;
        actor?: string;
        writer?: string;
        at?: string;
        merge?: components['schemas']['DiffPageCellsMerge'];
      }[];
      values?: {
        sheet: string;
        a1: string;
        before: unknown;
        after: unknown;
        /** @enum {string} */
        cause: 'edited' | 'moved' | 'recalculated';
        via?: string[];
      }[];
      formats: {
        [key: string]: unknown;
      }[];
      names: {
        [key: string]: unknown;
      }[];
      tables: {
        [key: string]: unknown;
      }[];
      records: {
        [key: string]: unknown;
      }[];
      /** @description Of rows, columns and sheets */
      properties: {
        [key: string]: unknown;
      }[];
      settings: {
        [key: string]: unknown;
      }[];
      styles: {
        [key: string]: unknown;
      }[];
      policy: {
        [key: string]: unknown;
      }[];
      next: string | null;
    };
    DiffPageCellsBefore: {
      input: components['schemas']['DiffPageCellsBeforeInput'];
      array?: string;
      /** @constant */
      legacy?: true;
      value?: unknown;
    } | null;
    DiffPageCellsBeforeInput:
      | number
      | string
      | boolean
      | null
      | {
          error: string;
        };
    DiffPageCellsMerge: {
      id: string;
      by?: string;
      actor?: string;
      writer?: string;
      at?: string;
    };
    Edge: {
      ref: components['schemas']['Position'];
      sheet: string;
      cell: string;
      filled: boolean;
    };
    EvalStats: {
      ref: components['schemas']['Position'];
      cells: number;
      formulas: number;
      templates: number;
      runs: number;
      grid: number;
      pending: number;
      circular: {
        count: number;
        cells: string[];
      };
      lastRecalculation: {
        dirtyCells: number;
        phases: {
          apply: number;
          evaluate: number;
        };
        cellsPerSecond: number | null;
        /** @enum {string} */
        in: 'pool' | 'process';
      } | null;
      memory: {
        bytes: number;
        usedBytes: number;
      };
      cache: {
        hits: number;
        builds: number;
        bytes: number;
      };
      ceiling: components['schemas']['PostWorkbooksEvalCeiling2'];
      headroom: {
        cells: number | null;
        grid: number | null;
      };
      computation: {
        /** @enum {string} */
        state: 'none' | 'queued' | 'computing' | 'computed' | 'failed';
        done: number;
        total: number;
      } | null;
    };
    Expect: {
      [key: string]: components['schemas']['ExpectedInput'];
    };
    ExpectedInput:
      | components['schemas']['Input']
      | {
          hash: string;
        };
    Fill:
      | components['schemas']['Color']
      | {
          /** @enum {string} */
          pattern?:
            | 'none'
            | 'solid'
            | 'darkGray'
            | 'mediumGray'
            | 'lightGray'
            | 'gray125'
            | 'gray0625'
            | 'darkHorizontal'
            | 'darkVertical'
            | 'darkDown'
            | 'darkUp'
            | 'darkGrid'
            | 'darkTrellis'
            | 'lightHorizontal'
            | 'lightVertical'
            | 'lightDown'
            | 'lightUp'
            | 'lightGrid'
            | 'lightTrellis';
          fg?: components['schemas']['Color'];
          bg?: components['schemas']['Color'];
        };
    FilterClear: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'filter.clear';
      payload: {
        sheet?: string;
      };
    };
    FilterSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'filter.set';
      payload: {
        sheet?: string;
        range: string;
        criteria?: {
          column: number | string;
          values?: (number | boolean | string)[];
          dates?: {
            year: number;
            month?: number;
            day?: number;
            hour?: number;
            minute?: number;
            second?: number;
          }[];
          blanks?: boolean;
          conditions?: {
            /** @enum {string} */
            operator:
              | 'equal'
              | 'notEqual'
              | 'lessThan'
              | 'lessThanOrEqual'
              | 'greaterThan'
              | 'greaterThanOrEqual';
            value: number | boolean | string;
          }[];
          any?: boolean;
          top?: {
            count: number;
            percent?: boolean;
            bottom?: boolean;
          };
          dynamic?: string;
          color?: {
            /** @enum {string} */
            of: 'fill' | 'font';
            color?: components['schemas']['CfSetPayloadRulePointsColor'];
          };
          icon?: {
            set: string;
            index?: number;
          };
          hideButton?: boolean;
        }[];
      };
    };
    Finding: {
      id: string;
      kind: string;
      /** @enum {string} */
      severity: 'warn' | 'block';
      /** @enum {string} */
      status: 'open' | 'accepted' | 'noted';
      text: string;
      path: {
        [key: string]: unknown;
      };
      value?: {
        base: unknown;
        ours: unknown;
        theirs: unknown;
        merged: unknown;
      };
      becauseOf?: string[];
      choices: string[];
      resolution: components['schemas']['ConflictResolution'];
      previousResolution?: {
        choice: string;
        input?: unknown;
        prefer?: string;
        side?: string;
        newKey?: unknown;
        by: string;
        at: string;
      };
    };
    Flushed: {
      branch: string;
      head: number;
      flushedSeq: number;
      segments: {
        firstSeq: number;
        lastSeq: number;
        byteCount: number;
      }[];
    };
    FormatSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'format.set';
      payload: {
        sheet?: string;
        range: string;
        style: components['schemas']['CellStyleChanges'];
        replace?: boolean;
      };
    };
    Formats: {
      ref: components['schemas']['GetWorkbooksTablesRef'];
      styles: components['schemas']['CellStyleChanges'][];
      namedStyles: {
        [key: string]: components['schemas']['CellStyleChanges'];
      };
      themeColors: string[];
      slices: {
        sheet: string;
        range: string;
        properties: components['schemas']['BranchStateSheetsProperties'];
        cells: number[][];
        rows: components['schemas']['FormatsSlicesRows'][];
        columns: components['schemas']['FormatsSlicesRows'][];
      }[];
    };
    FormatsSlicesRows: {
      from: number | string;
      count: number;
      px?: number;
      /** @constant */
      hidden?: true;
      level?: number;
      /** @constant */
      collapsed?: true;
      style?: number;
    };
    FoundPage: {
      ref: components['schemas']['Position'];
      /** @enum {string} */
      lens: 'value' | 'formula' | 'input';
      next: string | null;
      cells: components['schemas']['ValuesPageValues'][];
    };
    GetReady: {
      /** @enum {string} */
      status: 'ok' | 'degraded' | 'draining' | 'unavailable';
      dependencies: {
        [key: string]: 'ok' | 'unavailable';
      };
      damagedObjects?: number;
    };
    GetTlogConsistency: {
      from: number;
      to: number;
      from_root: string;
      to_root: string;
      hashes: string[];
      checkpoint: string;
    };
    GetTlogProof: {
      /** @constant */
      status: 'pending';
      retry_after: number;
    };
    GetWorkbooks: {
      total: number;
      offset: number;
      limit: number;
      workbooks:
        | components['schemas']['ListedWorkbook'][]
        | components['schemas']['RegisteredWorkbook'][];
    };
    GetWorkbooksBranches: {
      branches: components['schemas']['ListedBranch'][];
    };
    GetWorkbooksCommits: {
      total: number;
      offset: number;
      limit: number;
      commits: {
        branch: string | null;
        seq: number;
        tag: string | null;
        message: string;
        by: string;
        at: string;
        stateHash: string | null;
        chainHash: string | null;
      }[];
    };
    GetWorkbooksMatches: {
      total: number;
      offset: number;
      limit: number;
      matches: components['schemas']['MatchSummary'][];
    };
    GetWorkbooksMerges: {
      total: number;
      offset: number;
      limit: number;
      merges: components['schemas']['ListedMerge'][];
    };
    GetWorkbooksMergesConflicts: {
      revision: number;
      total: number;
      open: number;
      offset: number;
      limit: number;
      conflicts: components['schemas']['Conflict'][];
      violations: components['schemas']['Finding'][];
      effects: components['schemas']['Finding'][];
    };
    GetWorkbooksProofs: {
      log: {
        origin: string;
        size: number;
      };
      proofs: {
        name: string;
        /** @enum {string} */
        kind:
          | 'segment'
          | 'branch'
          | 'merge'
          | 'approval'
          | 'checkpoint'
          | 'archive'
          | 'restore'
          | 'purge';
        branchNo: number;
        seq?: number;
        firstSeq: number;
        lastSeq: number;
        leafHash: string;
        opens: boolean;
        proof: string | null;
      }[];
    };
    GetWorkbooksSlice:
      | {
          ref: components['schemas']['Position'];
          /** @enum {string} */
          lens: 'value' | 'formula' | 'input' | 'formatted';
          sheet: string;
          range: string;
          rows: components['schemas']['Value'][][];
          flags?: components['schemas']['GetWorkbooksSliceFlags'][];
        }
      | {
          ref: components['schemas']['Position'];
          /** @enum {string} */
          lens: 'value' | 'formula' | 'input' | 'formatted';
          slices: {
            sheet: string;
            range: string;
            rows: components['schemas']['Value'][][];
            flags?: components['schemas']['GetWorkbooksSliceFlags'][];
          }[];
        };
    GetWorkbooksSliceFlags: {
      cell: string;
      array?: string;
      /** @constant */
      legacy?: true;
    };
    GetWorkbooksTables: {
      ref: components['schemas']['GetWorkbooksTablesRef'];
      tables: components['schemas']['Table'][];
    };
    GetWorkbooksTablesById: {
      ref: components['schemas']['GetWorkbooksTablesRef'];
      table: components['schemas']['Table'];
    };
    GetWorkbooksTablesRef: {
      branch: string;
      seq: number;
    };
    GetWorkbooksValues: {
      /** @constant */
      status: 'computing';
      retry_after: number;
    };
    HistoryPage: {
      head: number;
      next: number | null;
      ops: {
        seq: number;
        id: string | null;
        by: string;
        actor: string;
        writer: string;
        kind: components['schemas']['SubmissionResultResultsKind'];
        payload?: unknown;
        count?: {
          cells: number;
          ranges: number;
        };
        at: string;
        group?: string;
        /** @constant */
        noop?: true;
      }[];
    };
    HotWorkbook: {
      /** @constant */
      state: 'hot';
      readOnly: boolean;
      owner: {
        node: string;
        epoch: number;
        since: string;
      };
      branches: {
        branch: string;
        head: number;
        loadedSeq: number;
        ms: number;
      }[];
    };
    HyperlinkSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'hyperlink.set';
      payload: {
        sheet?: string;
        a1?: string;
        range?: string;
        url?: string | null;
        location?: string | null;
        tooltip?: string;
      };
    };
    IdentityFailure: {
      /** @constant */
      ok: false;
      error: string;
      message: string;
      data?: {
        [key: string]: unknown;
      };
      request_id: string;
    } & {
      [key: string]: unknown;
    };
    ImageDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'image.delete';
      payload: components['schemas']['ValidationDeletePayload'];
    };
    ImageSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'image.set';
      payload: components['schemas']['ImageSetPayload'];
    };
    ImageSetPayload: {
      id?: string;
      sheet?: string;
      anchor: string;
      spec: {
        [key: string]: unknown;
      };
    };
    InclusionProof: {
      leaf_hash: string;
      leaf_index: number;
      tree_size: number;
      root_hash: string;
      hashes: string[];
      checkpoint: string;
    };
    Input:
      | number
      | string
      | boolean
      | null
      | {
          /** @enum {unknown} */
          error:
            | '#NULL!'
            | '#DIV/0!'
            | '#VALUE!'
            | '#REF!'
            | '#NAME?'
            | '#NUM!'
            | '#N/A'
            | '#GETTING_DATA'
            | '#SPILL!'
            | '#CALC!'
            | '#FIELD!'
            | '#BLOCKED!'
            | '#CIRC!';
        };
    ListedBranch: {
      name: string;
      no: number;
      head: number;
      from: components['schemas']['CreatedBranchFrom'];
      vector: {
        [key: string]: number;
      };
      description: string | null;
      createdBy: string | null;
      createdAt: string;
      ttlDays: components['schemas']['CreatedBranchTtlDays'];
      /** @enum {string} */
      state: 'active' | 'archived';
      ahead: {
        ops: number;
        cells: number | null;
      };
      behind: {
        ops: number;
      };
      mergedInto: string[];
      stale: boolean;
      protected: boolean;
      updatedAt: string;
    };
    ListedMerge: {
      id: string;
      title: string;
      description: string;
      state: components['schemas']['PostWorkbooksMergesResolveState'];
      source: components['schemas']['GetWorkbooksTablesRef'];
      target: components['schemas']['GetWorkbooksTablesRef'];
      base: components['schemas']['TrialMergeBase'];
      /** @enum {string} */
      strategy: 'none' | 'ours' | 'theirs';
      squash: boolean;
      /** @enum {string} */
      granularity?: 'cell' | 'row' | 'block' | 'sheet' | 'table';
      /** @enum {string} */
      grouping?: 'auto' | 'sheet' | 'table' | 'writer' | 'op-group';
      revertOf?: string;
      createdBy: string;
      createdAt: string;
      revision: number;
      result: components['schemas']['TrialMergeResult'];
    };
    ListedWorkbook: {
      id: string;
      name: string;
      namespace: string;
      /** @enum {string} */
      state: 'active' | 'archived';
      archived: boolean;
      archivedAt: string | null;
      updatedAt: string;
      ownerId?: string;
    };
    LogStatus: {
      origin: string;
      vkeys: string[];
      tree_size: number;
      root_hash: string;
      published_at: string | null;
      integrated_size: number;
      pending: number;
      oldest_pending_ms: number;
      min_index: number;
      tile_height: number;
      witnesses: {
        name: string;
        vkey: string;
        size: number | null;
        cosigned_at: string | null;
      }[];
      quorum: string | null;
      halted: string | null;
      past: {
        /** @enum {string} */
        why: 'adopted' | 'begun';
        origin: string;
        tree_size: number;
        url: string;
        ended_at: string;
      }[];
      damaged: string[];
    };
    MatchOptions: {
      [key: string]: unknown;
    };
    MatchPage: {
      matchId: string;
      /** @enum {string} */
      status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
      phase: ('reading' | 'embedding' | 'scoring' | 'verifying' | 'assigning' | 'writing') | null;
      ref: components['schemas']['GetWorkbooksTablesRef'];
      left: components['schemas']['MatchSummaryLeft'];
      right: components['schemas']['MatchSummaryLeft'];
      opts: components['schemas']['MatchSummaryOpts'];
      algo: string;
      reused: boolean;
      progress: number;
      progressDetail: components['schemas']['MatchSummaryProgressDetail'];
      counts: components['schemas']['MatchSummaryCounts'];
      createdBy: string;
      createdAt: string;
      startedAt: string | null;
      finishedAt: string | null;
      error: components['schemas']['MatchSummaryError'];
      retry_after?: number;
      offset: number;
      limit: number;
      total: number;
      rows: {
        leftKey: string | number | boolean;
        leftValue: string | null;
        rightKey: string | number | boolean | null;
        rightValue: string | null;
        score: number | null;
        /** @enum {string} */
        decision: 'accept' | 'review' | 'reject';
        verified: boolean;
        confidence: number | null;
        reason: string;
        rank: number;
        detail?: string;
      }[];
    };
    MatchProviders: {
      providers: {
        name: string;
        /** @enum {string} */
        kind: 'local' | 'openai' | 'ollama' | 'tei' | 'http' | 'chat';
        /** @enum {string} */
        use: 'embeddings' | 'verification' | 'both';
        model: string | null;
        dims: number[];
        defaultDim: number | null;
      }[];
    };
    MatchSummary: {
      matchId: string;
      /** @enum {string} */
      status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
      phase: ('reading' | 'embedding' | 'scoring' | 'verifying' | 'assigning' | 'writing') | null;
      ref: components['schemas']['GetWorkbooksTablesRef'];
      left: components['schemas']['MatchSummaryLeft'];
      right: components['schemas']['MatchSummaryLeft'];
      opts: components['schemas']['MatchSummaryOpts'];
      algo: string;
      reused: boolean;
      progress: number;
      progressDetail: components['schemas']['MatchSummaryProgressDetail'];
      counts: components['schemas']['MatchSummaryCounts'];
      createdBy: string;
      createdAt: string;
      startedAt: string | null;
      finishedAt: string | null;
      error: components['schemas']['MatchSummaryError'];
      retry_after?: number;
    };
    MatchSummaryCounts: {
      accept: number;
      review: number;
      reject: number;
      unmatched: number;
    };
    MatchSummaryError: {
      code: string;
      message: string;
    } | null;
    MatchSummaryLeft: {
      tableId: string;
      column?: string;
      columns?: components['schemas']['PostWorkbooksMatchesLeftColumns'][];
      blocking?: string[];
      rows?: number;
      distinct?: number;
      empty?: number;
    };
    MatchSummaryOpts: {
      hi: number;
      lo: number;
      provider: string;
      verifyProvider: string;
      dim: number | null;
      /** @enum {string} */
      assignment: 'many-to-one' | 'one-to-one' | 'many-to-many';
      topK: number;
      minConfidence: number;
      /** @enum {string} */
      normalise: 'default' | 'none';
      aliases: {
        tableId: string;
        from: string;
        to: string;
      } | null;
      /** @enum {string} */
      include: 'accepted' | 'all';
    };
    MatchSummaryProgressDetail: {
      done: number;
      total: number;
    };
    McpAnswer: {
      /** @constant */
      jsonrpc: '2.0';
    } & {
      [key: string]: unknown;
    };
    McpMessage: {
      [key: string]: unknown;
    };
    Merge: {
      id: string;
      title: string;
      description: string;
      state: components['schemas']['PostWorkbooksMergesResolveState'];
      source: components['schemas']['GetWorkbooksTablesRef'];
      target: components['schemas']['GetWorkbooksTablesRef'];
      base: components['schemas']['TrialMergeBase'];
      /** @enum {string} */
      strategy: 'none' | 'ours' | 'theirs';
      squash: boolean;
      /** @enum {string} */
      granularity?: 'cell' | 'row' | 'block' | 'sheet' | 'table';
      /** @enum {string} */
      grouping?: 'auto' | 'sheet' | 'table' | 'writer' | 'op-group';
      revertOf?: string;
      createdBy: string;
      createdAt: string;
      revision: number;
      result: components['schemas']['TrialMergeResult'];
      fastForward?: boolean;
      summary?: components['schemas']['TrialMergeSummary'];
      policy?: components['schemas']['TrialMergePolicy'];
      approvals?: components['schemas']['TrialMergeApprovals'][];
      units?: components['schemas']['Unit'][];
      refusal?: string;
      retry_after?: number;
      digest?: string;
      stateHash?: string;
      timeline: components['schemas']['TrialMergeTimeline'][];
      links: {
        self: string;
        conflicts: string;
        diff: string;
      };
    };
    NameDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'name.delete';
      payload: {
        name: string;
        scope?: string;
      };
    };
    NameRename: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'name.rename';
      payload: {
        from: string;
        to: string;
        scope?: string;
      };
    };
    NameSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'name.set';
      payload: {
        name: string;
        scope?: string;
        ref?: string;
        formula?: string;
        comment?: string;
      };
    };
    NoteDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'note.delete';
      payload: {
        sheet?: string;
        a1: string;
      };
    };
    NoteSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'note.set';
      payload: {
        sheet?: string;
        a1: string;
        text: string;
        author?: string;
      };
    };
    NumfmtSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'numfmt.set';
      payload: {
        sheet?: string;
        range: string;
        pattern: string;
      };
    };
    OperationId: string;
    Origin: {
      branch: string | null;
      seq: number;
      by: string;
      actor: string;
      writer: string;
      at: string;
      proof: string | null;
      kind: components['schemas']['SubmissionResultResultsKind'];
      opId: string | null;
      merge: components['schemas']['BlamePageCellsMerge'];
    };
    PatchWorkbooksBranchesTablesById: {
      branch: string;
      seq: number;
      ref: string;
      firstSeq: number;
      table: components['schemas']['Table'];
    };
    PatchWorkbooksById: {
      name?: string;
    };
    PatchWorkbooksMatchesRows: {
      decisions: {
        leftKey: string | number | boolean;
        rightKey: string | number | boolean;
        /** @enum {string} */
        decision: 'accept' | 'reject' | 'review';
      }[];
    };
    Policy: {
      /** @default [] */
      protectedBranches?: {
        pattern: string;
        directWrites?: components['schemas']['PolicyProtectedBranchesDirectWrites'];
        /** @default 1 */
        requiredApprovals?: number;
        /** @default true */
        dismissStaleApprovals?: boolean;
        /** @default true */
        requireLastPushApproval?: boolean;
        /** @default false */
        allowSelfApproval?: boolean;
        /** @default [] */
        approvers?: string[];
        /** @default [] */
        mergers?: string[];
        /** @default false */
        allowAgentApproval?: boolean;
        /** @default [] */
        owners?: {
          match: components['schemas']['PolicyProtectedBranchesOwnersMatch'];
          /** @default [] */
          approvers?: string[];
        }[];
        /** @default false */
        requireUpToDate?: boolean;
        /** @default false */
        requireCheckpoint?: boolean;
        /** @default [] */
        bypass?: string[];
        /** @default false */
        allowDelete?: boolean;
        /** @default false */
        allowForce?: boolean;
      }[];
      /** @default {} */
      merge?: {
        /**
         * @default none
         * @enum {string}
         */
        strategy?: 'none' | 'ours' | 'theirs';
        /**
         * @default cell
         * @enum {string}
         */
        conflictGranularity?: 'cell' | 'row' | 'block' | 'sheet' | 'table';
        /**
         * @default conflict
         * @enum {string}
         */
        deleteVsEdit?: 'conflict' | 'delete' | 'keep';
        /**
         * @default ignore
         * @enum {string}
         */
        deleteVsFormat?: 'ignore' | 'warn' | 'conflict';
        /**
         * @default merge
         * @enum {string}
         */
        insertInsertSameKey?: 'merge' | 'conflict';
        /**
         * @default warn
         * @enum {string}
         */
        semanticEffects?: 'ignore' | 'warn' | 'block';
        /**
         * @default block
         * @enum {string}
         */
        newErrors?: 'ignore' | 'warn' | 'block';
        /**
         * @default block
         * @enum {string}
         */
        violations?: 'ignore' | 'warn' | 'block';
        /** @default 0 */
        numericTolerance?: number;
        /** @default true */
        blankEqualsEmptyString?: boolean;
        /** @default true */
        autoRefresh?: boolean;
        /** @default 30 */
        maxOpenDays?: number;
        /**
         * @default allowed
         * @enum {string}
         */
        squash?: 'allowed' | 'forbidden' | 'required';
      };
      /** @default {} */
      branch?: {
        /** @default 200 */
        maxBranches?: number;
        /** @default 14 */
        autoArchiveMergedAfterDays?: number | null;
      };
    };
    PolicyOutput: {
      /** @default [] */
      protectedBranches: {
        pattern: string;
        directWrites: components['schemas']['PolicyProtectedBranchesDirectWrites'];
        /** @default 1 */
        requiredApprovals: number;
        /** @default true */
        dismissStaleApprovals: boolean;
        /** @default true */
        requireLastPushApproval: boolean;
        /** @default false */
        allowSelfApproval: boolean;
        /** @default [] */
        approvers: string[];
        /** @default [] */
        mergers: string[];
        /** @default false */
        allowAgentApproval: boolean;
        /** @default [] */
        owners: {
          match: components['schemas']['PolicyProtectedBranchesOwnersMatch'];
          /** @default [] */
          approvers: string[];
        }[];
        /** @default false */
        requireUpToDate: boolean;
        /** @default false */
        requireCheckpoint: boolean;
        /** @default [] */
        bypass: string[];
        /** @default false */
        allowDelete: boolean;
        /** @default false */
        allowForce: boolean;
      }[];
      merge: {
        /**
         * @default none
         * @enum {string}
         */
        strategy: 'none' | 'ours' | 'theirs';
        /**
         * @default cell
         * @enum {string}
         */
        conflictGranularity: 'cell' | 'row' | 'block' | 'sheet' | 'table';
        /**
         * @default conflict
         * @enum {string}
         */
        deleteVsEdit: 'conflict' | 'delete' | 'keep';
        /**
         * @default ignore
         * @enum {string}
         */
        deleteVsFormat: 'ignore' | 'warn' | 'conflict';
        /**
         * @default merge
         * @enum {string}
         */
        insertInsertSameKey: 'merge' | 'conflict';
        /**
         * @default warn
         * @enum {string}
         */
        semanticEffects: 'ignore' | 'warn' | 'block';
        /**
         * @default block
         * @enum {string}
         */
        newErrors: 'ignore' | 'warn' | 'block';
        /**
         * @default block
         * @enum {string}
         */
        violations: 'ignore' | 'warn' | 'block';
        /** @default 0 */
        numericTolerance: number;
        /** @default true */
        blankEqualsEmptyString: boolean;
        /** @default true */
        autoRefresh: boolean;
        /** @default 30 */
        maxOpenDays: number;
        /**
         * @default allowed
         * @enum {string}
         */
        squash: 'allowed' | 'forbidden' | 'required';
      };
      branch: {
        /** @default 200 */
        maxBranches: number;
        /** @default 14 */
        autoArchiveMergedAfterDays: number | null;
      };
    };
    /**
     * @default deny
     * @enum {string}
     */
    PolicyProtectedBranchesDirectWrites: 'deny' | 'allow' | 'owners';
    PolicyProtectedBranchesOwnersMatch: {
      sheet?: string;
      range?: string;
      table?: string;
    };
    Position: components['schemas']['GetWorkbooksTablesRef'];
    PostTlogProofs: {
      leaf_hashes: string[];
      tree_size?: number;
    };
    PostTlogProofs2: {
      tree_size: number;
      root_hash: string;
      checkpoint: string;
      proofs: {
        leaf_hash: string;
        /** @enum {string} */
        status: 'proven' | 'pending' | 'later' | 'unknown';
        leaf_index: number | null;
        hashes: string[];
      }[];
    };
    PostWorkbooks: {
      name?: string;
      namespace?: string;
      sheets?: {
        name: string;
        rows?: components['schemas']['Input'][][];
        raw?: boolean;
        parse?: boolean;
      }[];
      raw?: boolean;
      parse?: boolean;
    };
    PostWorkbooksBranches: {
      name: string;
      /** @default main */
      from?: string;
      description?: string;
      protected?: boolean;
      ttlDays?: number | null;
    };
    PostWorkbooksBranchesCommit: {
      /** @default  */
      message?: string;
      tag?: string;
      writer?: string;
    };
    PostWorkbooksBranchesRestore: {
      branch: string;
      /** @constant */
      state: 'active';
    };
    PostWorkbooksBranchesTables: {
      branch: string;
      seq: number;
      ref: string;
      table: components['schemas']['Table'];
    };
    PostWorkbooksEvalCeiling: {
      cells?: number | null;
      grid?: number | null;
    };
    PostWorkbooksEvalCeiling2: {
      cells: number | null;
      grid: number | null;
    };
    PostWorkbooksMatches: {
      branch?: string;
      left: {
        tableId: string;
        column?: string;
        columns?: components['schemas']['PostWorkbooksMatchesLeftColumns'][];
        blocking?: string[];
      };
      right: {
        tableId: string;
        column?: string;
        columns?: components['schemas']['PostWorkbooksMatchesLeftColumns'][];
        blocking?: string[];
      };
      opts?: components['schemas']['MatchOptions'];
    };
    PostWorkbooksMatchesApply: {
      branch: string;
      /**
       * @default table
       * @enum {string}
       */
      as?: 'table' | 'column';
      name?: string;
    };
    PostWorkbooksMatchesApply2: {
      branch: string;
      firstSeq: number | null;
      lastSeq: number | null;
      head: number;
      name: string;
      rows: number;
      group: string;
    };
    PostWorkbooksMatchesLeftColumns:
      | string
      | {
          column: string;
          weight?: number;
        };
    PostWorkbooksMerges: {
      source?: string;
      revertOf?: string;
      /** @default main */
      target?: string;
      title?: string;
      /** @default  */
      description?: string;
      /** @enum {string} */
      strategy?: 'none' | 'ours' | 'theirs';
      /** @default false */
      squash?: boolean;
      /** @default false */
      dryRun?: boolean;
      /**
       * @default manual
       * @enum {string}
       */
      apply?: 'manual' | 'auto';
      /** @enum {string} */
      granularity?: 'cell' | 'row' | 'block' | 'sheet' | 'table';
      /** @enum {string} */
      units?: 'auto' | 'sheet' | 'table' | 'writer' | 'op-group';
      idempotencyKey?: string;
    };
    PostWorkbooksMergesApprove: {
      digest?: string;
      comment?: string;
      /** @default null */
      units?: string[] | null;
      /**
       * @default approve
       * @enum {string}
       */
      event?: 'approve' | 'request_changes' | 'comment';
      /** @default true */
      apply?: boolean;
    };
    PostWorkbooksMergesResolve: {
      revision?: number;
      /** @default [] */
      resolutions?: {
        id: string;
        choice: components['schemas']['PostWorkbooksMergesResolveResolutionsChoice'];
        input?: components['schemas']['Input'];
        /** @enum {string} */
        prefer?: 'ours' | 'theirs';
        /** @enum {string} */
        side?: 'ours' | 'theirs';
        newKey?: components['schemas']['Input'];
      }[];
      /** @default [] */
      bulk?: {
        where: {
          /** @enum {string} */
          status?: 'open' | 'resolved';
          kind?: string;
          sheet?: string;
          table?: string;
          column?: string;
          unit?: string;
          writer?: string;
        };
        choice: components['schemas']['PostWorkbooksMergesResolveResolutionsChoice'];
        /** @enum {string} */
        prefer?: 'ours' | 'theirs';
      }[];
      /** @default false */
      refresh?: boolean;
      comment?: string;
    };
    PostWorkbooksMergesResolve2: {
      revision: number;
      state: components['schemas']['PostWorkbooksMergesResolveState'];
      resolved: number;
      open: number;
      reopened: string[];
      newEffects: components['schemas']['Finding'][] | null;
      digest: string;
    };
    PostWorkbooksMergesResolveResolutionsChoice: string | null;
    /** @enum {string} */
    PostWorkbooksMergesResolveState:
      | 'computing'
      | 'conflicted'
      | 'review'
      | 'approved'
      | 'outdated'
      | 'merged'
      | 'aborted';
    PostWorkbooksTopology: {
      /** @enum {string} */
      action?: 'move' | 'release';
      to?: string;
    };
    PostWorkbooksVerify: {
      branch?: string;
    };
    PostWorkbooksWake: {
      /**
       * @default [
       *       "main"
       *     ]
       */
      branches?: string[];
      /**
       * @default [
       *       "state"
       *     ]
       */
      warm?: ('state' | 'values')[];
      /** @default 2000 */
      waitMs?: number;
    };
    PostWorkbooksWake2: {
      /** @constant */
      state: 'waking';
      retry_after: number;
    };
    PostWorkbooksWebhooks: {
      url: string;
      /**
       * @default [
       *       "operations.applied"
       *     ]
       */
      events?: components['schemas']['PostWorkbooksWebhooksEvents'][];
      secret?: string;
    };
    /** @enum {string} */
    PostWorkbooksWebhooksEvents:
      | 'operations.applied'
      | 'merge.applied'
      | 'commit.created'
      | 'branch.created'
      | 'branch.deleted'
      | 'workbook.archived'
      | 'workbook.restored';
    PostWorkbooksWebhooksReplay: {
      deliveries?: string[];
      since?: string;
    };
    Problem: {
      type: string;
      title: string;
      status: number;
      code: string;
      detail: string;
      hint?: string;
      errors?: components['schemas']['ProblemErrors'][];
      requestId: string;
    } & {
      [key: string]: unknown;
    };
    ProblemErrors: {
      pointer: string;
      code: string;
      message: string;
    };
    PropsSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'props.set';
      payload: {
        title?: string | null;
        description?: string | null;
        labels?: string[] | null;
      };
    };
    ProtectDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'protect.delete';
      payload: components['schemas']['ValidationDeletePayload'];
    };
    ProtectSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'protect.set';
      payload: {
        id?: string;
        sheet?: string;
        ranges?: string[];
        who: string[];
        name?: string;
        by?: string;
        options?: {
          [key: string]: boolean;
        };
      };
    };
    PutWorkbooksMergesUnits: {
      revision?: number;
      groups: {
        id: string;
        title?: string;
        members?: (
          | string
          | {
              kind?: string;
              sheet?: string;
              range?: string;
              table?: string;
              keys?: (string | number)[];
              column?: string;
              writer?: string;
              group?: string;
            }
        )[];
        /** @enum {string} */
        decision?: 'pending' | 'accept' | 'reject' | 'defer';
        reason?: string;
        requires?: string[];
      }[];
    };
    PutWorkbooksMergesUnits2: {
      units: components['schemas']['Unit'][];
      state: components['schemas']['PostWorkbooksMergesResolveState'];
      revision: number;
      digest: string;
    };
    PutWorkbooksSettings: {
      policy: components['schemas']['Policy'];
      expectVersion?: number;
      version?: number;
    };
    RangeAutofill: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'range.autofill';
      payload: {
        sheet?: string;
        source: string;
        target: string;
        series?: {
          /** @enum {string} */
          type?: 'auto' | 'copy' | 'linear' | 'growth' | 'date';
          step?: number;
          /** @enum {string} */
          unit?: 'day' | 'weekday' | 'month' | 'year';
          stop?: number;
        };
      };
    };
    RangeClear: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'range.clear';
      payload: {
        sheet?: string;
        range: string;
        what?: ('values' | 'formats' | 'notes' | 'comments' | 'validation' | 'cf' | 'hyperlinks')[];
      };
    };
    RangeCopy: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'range.copy';
      payload: {
        sheet?: string;
        source: string;
        toSheet?: string;
        to: string;
        paste?: ('values' | 'formulas' | 'formats')[];
      };
    };
    RangeDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'range.delete';
      payload: {
        sheet?: string;
        range: string;
        /** @enum {string} */
        shift: 'left' | 'up';
      };
    };
    RangeFill: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'range.fill';
      payload: {
        sheet?: string;
        range: string;
        input: components['schemas']['Input'];
        fmt?: string;
        /** @constant */
        legacy?: true;
        raw?: boolean;
        parse?: boolean;
      };
    };
    RangeInsert: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'range.insert';
      payload: {
        sheet?: string;
        range: string;
        /** @enum {string} */
        shift: 'right' | 'down';
      };
    };
    RangeMove: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'range.move';
      payload: {
        sheet?: string;
        source: string;
        toSheet?: string;
        to: string;
      };
    };
    RangeSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'range.set';
      payload: {
        sheet?: string;
        range: string;
        inputs: components['schemas']['Input'][][];
        fmts?: (string | null)[][];
        /** @constant */
        legacy?: true;
        raw?: boolean;
        parse?: boolean;
      };
    };
    RangeSort: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'range.sort';
      payload: {
        sheet?: string;
        range: string;
        keys?: {
          col: number | string;
          desc?: boolean;
          /** @enum {string} */
          type?: 'auto' | 'number' | 'text';
        }[];
        header?: boolean;
        order?: number[];
      };
    };
    RecordsPage: {
      ref: components['schemas']['Position'];
      total: number;
      offset: number;
      limit: number;
      records: {
        /** @enum {string} */
        type:
          | 'cellmerge'
          | 'note'
          | 'thread'
          | 'validation'
          | 'cf'
          | 'filter'
          | 'protection'
          | 'hyperlink'
          | 'image'
          | 'chart';
        id: string | null;
        sheet: string;
        sheetId: string;
        ranges: string[] | null;
        value: {
          [key: string]: unknown;
        };
      }[];
    };
    Redo: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'redo';
      payload: {
        of: number | components['schemas']['UndoPayloadOf'];
      };
    };
    Registered: {
      claim_token: string;
      credential?: string;
      user_id?: string;
      scopes?: ('read' | 'write' | 'account')[];
      verification_required?: boolean;
      message?: string;
    } & {
      [key: string]: unknown;
    };
    RegisteredWorkbook: {
      id: string;
      namespace: string;
      name: string;
      address: string;
      path: string;
      /** @enum {string} */
      state: 'active' | 'archived';
      archived: boolean;
      archivedAt: string | null;
      createdAt: string;
      ownerId?: string;
    };
    Revert: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'revert';
      payload: {
        of:
          | {
              from: number;
              through: number;
            }
          | string;
      };
    };
    RowCounts: {
      inserted: number;
      updated: number;
      unchanged: number;
      deleted: number;
      rejected: components['schemas']['RowCountsRejected'][];
      rejectedCount: number;
    };
    RowCountsRejected: {
      row: number;
      key: components['schemas']['Value'];
      column: string | null;
      code: string;
      message: string;
    };
    RowGroups: {
      ref: components['schemas']['GetWorkbooksTablesRef'];
      table: {
        id: string;
        name: string;
      };
      key: string | null;
      columns: string[];
      total: number;
      errors?: number;
      offset: number;
      limit: number;
      groups: {
        [key: string]: components['schemas']['Value'];
      }[];
    };
    RowWrite: {
      id: string;
      poll: string;
      branch: string;
      table: string;
      /** @enum {string} */
      status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
      rows: number;
      bytes: number;
      totalBytes: number;
      result: components['schemas']['RowsWritten'] | null;
      error: {
        code: string;
        message: string;
        hint?: string;
        errors: components['schemas']['ProblemErrors'][];
      } | null;
      createdAt: string;
      finishedAt: string | null;
    };
    RowsDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'rows.delete';
      payload:
        | {
            sheet: string;
            from?: number;
            count?: number;
            spans?: components['schemas']['RowsDeletePayloadSpans'][];
          }
        | {
            table: string;
            keys: (number | string)[];
            /** @enum {string} */
            onMissing?: 'error' | 'ignore';
          };
    };
    RowsDeletePayloadSpans: {
      from: number;
      count?: number;
    };
    RowsGroup: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'rows.group';
      payload: {
        sheet: string;
        from?: number;
        count?: number;
        spans?: components['schemas']['RowsDeletePayloadSpans'][];
        level?: number;
        collapsed?: boolean;
      };
    };
    RowsHide: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'rows.hide';
      payload: {
        sheet: string;
        from?: number;
        count?: number;
        spans?: components['schemas']['RowsDeletePayloadSpans'][];
        hidden?: boolean;
      };
    };
    RowsImport: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'rows.import';
      payload: components['schemas']['RowsImportPayload'];
    };
    RowsImportPayload: {
      table: string;
      columns?: string[];
      rows: (Record<string, unknown> | unknown[])[];
      raw?: boolean;
      /** @enum {string} */
      onInvalid?: 'reject' | 'skip';
    };
    RowsInsert: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'rows.insert';
      payload: {
        sheet: string;
        before?: number;
        after?: number;
        count?: number;
        /** @enum {string} */
        inherit?: 'before' | 'after' | 'none';
      };
    };
    RowsMove: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'rows.move';
      payload: {
        sheet: string;
        from?: number;
        count?: number;
        spans?: components['schemas']['RowsDeletePayloadSpans'][];
        before: number;
      };
    };
    RowsPage: {
      ref: components['schemas']['GetWorkbooksTablesRef'];
      table: {
        id: string;
        name: string;
      };
      key: string | null;
      columns: string[];
      total: number;
      errors?: number;
      offset: number;
      limit: number;
      next: string | null;
      rows:
        | {
            [key: string]: components['schemas']['Value'];
          }[]
        | components['schemas']['Value'][][]
        | {
            [key: string]: components['schemas']['Value'][];
          };
    };
    RowsSize: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'rows.size';
      payload: {
        sheet: string;
        from?: number;
        count?: number;
        spans?: components['schemas']['RowsDeletePayloadSpans'][];
        px?: number;
        /** @constant */
        auto?: true;
      };
    };
    RowsUpsert: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'rows.upsert';
      payload: components['schemas']['RowsImportPayload'];
    };
    RowsWrite: {
      /** @enum {string} */
      mode?: 'upsert' | 'import' | 'delete';
      columns?: string[];
      raw?: boolean;
      /** @enum {string} */
      onInvalid?: 'reject' | 'skip';
      /** @enum {string} */
      onMissing?: 'error' | 'ignore';
      atomic?: boolean;
      writer?: string;
      id?: string;
      baseSeq?: number;
      rows?: (Record<string, unknown> | unknown[])[];
      keys?: (number | string)[];
    };
    RowsWritten: {
      branch: string;
      ref: string;
      /** @enum {string} */
      status: 'applied' | 'partial' | 'duplicate' | 'unchanged';
      firstSeq: number | null;
      lastSeq: number | null;
      operations: number;
      inserted: number;
      updated: number;
      unchanged: number;
      deleted: number;
      rejected: components['schemas']['RowCountsRejected'][];
      rejectedMore: number;
      refused: {
        rows: [number, number];
        code: string;
        message: string;
        pointer: string;
      }[];
    };
    Scenario: {
      ref: components['schemas']['Position'];
      formulas: {
        formula: string;
        rows: components['schemas']['Value'][][];
      }[];
      slices: {
        sheet: string;
        range: string;
        before: components['schemas']['Value'][][];
        after: components['schemas']['Value'][][];
      }[];
      changes: {
        cells: components['schemas']['ChangesCells'][];
        total: number;
        truncated: boolean;
      };
    };
    ScenarioRequest: {
      /** @default main */
      ref?: string;
      /** @default [] */
      set?: {
        cell: string;
        input: components['schemas']['Input'];
      }[];
      /** @default [] */
      formulas?: {
        formula: string;
        sheet?: string;
      }[];
      /** @default [] */
      ranges?: string[];
      /** @default 100 */
      changes?: number;
    };
    SentCode: {
      /** @constant */
      verification_required: true;
      message: string;
      registration_id: string;
      otp_expires: string;
      resend_after: number;
    } & {
      [key: string]: unknown;
    };
    Settings: {
      version: number;
      policy: components['schemas']['PolicyOutput'];
    };
    SettingsSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'settings.set';
      payload: {
        path: string;
        value: number | boolean | string | null;
      };
    };
    SheetAdd: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'sheet.add';
      payload: {
        name: string;
        index?: number;
        rows?: number;
        cols?: number;
        copyOf?: string;
      };
    };
    SheetDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'sheet.delete';
      payload: {
        sheet: string;
      };
    };
    SheetMove: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'sheet.move';
      payload: {
        sheet: string;
        index: number;
      };
    };
    SheetProps: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'sheet.props';
      payload: {
        sheet: string;
        tabColor?: components['schemas']['Color'] | null;
        hidden?: (boolean | 'veryHidden') | null;
        fileSheet?: string | null;
        freezeRows?: number | null;
        freezeCols?: number | null;
        gridlines?: boolean | null;
        rtl?: boolean | null;
        zoom?: number | null;
        rowPx?: number | null;
        colPx?: number | null;
        summaryBelow?: boolean | null;
        summaryRight?: boolean | null;
      };
    };
    SheetRename: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'sheet.rename';
      payload: {
        sheet: string;
        name: string;
      };
    };
    Snapshot: {
      branch: string;
      seq: number;
      stateHash: string;
      flushedSeq: number;
      written: {
        nodes: {
          [key: string]: number;
        };
        byteCount: number;
      };
    };
    StyleDefine: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'style.define';
      payload: {
        id: string;
        style: components['schemas']['CellStyle'];
      };
    };
    StyleDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'style.delete';
      payload: {
        id: string;
      };
    };
    Submission: {
      ops: (
        | components['schemas']['CellsSet']
        | components['schemas']['RangeSet']
        | components['schemas']['RangeFill']
        | components['schemas']['RangeClear']
        | components['schemas']['RowsInsert']
        | components['schemas']['RowsDelete']
        | components['schemas']['RowsMove']
        | components['schemas']['ColsInsert']
        | components['schemas']['ColsDelete']
        | components['schemas']['ColsMove']
        | components['schemas']['SheetAdd']
        | components['schemas']['SheetRename']
        | components['schemas']['SheetDelete']
        | components['schemas']['SheetMove']
        | components['schemas']['NameSet']
        | components['schemas']['NameDelete']
        | components['schemas']['NameRename']
        | components['schemas']['NumfmtSet']
        | components['schemas']['SettingsSet']
        | components['schemas']['TableCreate']
        | components['schemas']['FormatSet']
        | components['schemas']['StyleDefine']
        | components['schemas']['StyleDelete']
        | components['schemas']['RowsSize']
        | components['schemas']['RowsHide']
        | components['schemas']['RowsGroup']
        | components['schemas']['ColsSize']
        | components['schemas']['ColsHide']
        | components['schemas']['ColsGroup']
        | components['schemas']['SheetProps']
        | components['schemas']['PropsSet']
        | components['schemas']['RangeAutofill']
        | components['schemas']['RangeMove']
        | components['schemas']['RangeCopy']
        | components['schemas']['RangeSort']
        | components['schemas']['RangeInsert']
        | components['schemas']['RangeDelete']
        | components['schemas']['TableDrop']
        | components['schemas']['TableRename']
        | components['schemas']['TableColumnAdd']
        | components['schemas']['TableColumnDrop']
        | components['schemas']['TableColumnRename']
        | components['schemas']['TableColumnAlter']
        | components['schemas']['TableColumnMove']
        | components['schemas']['TableKeyChange']
        | components['schemas']['RowsImport']
        | components['schemas']['RowsUpsert']
        | components['schemas']['CellmergeAdd']
        | components['schemas']['CellmergeRemove']
        | components['schemas']['NoteSet']
        | components['schemas']['NoteDelete']
        | components['schemas']['CommentAdd']
        | components['schemas']['CommentReply']
        | components['schemas']['CommentEdit']
        | components['schemas']['CommentResolve']
        | components['schemas']['CommentDelete']
        | components['schemas']['ValidationSet']
        | components['schemas']['ValidationDelete']
        | components['schemas']['CfSet']
        | components['schemas']['CfDelete']
        | components['schemas']['CfMove']
        | components['schemas']['FilterSet']
        | components['schemas']['FilterClear']
        | components['schemas']['ProtectSet']
        | components['schemas']['ProtectDelete']
        | components['schemas']['HyperlinkSet']
        | components['schemas']['ImageSet']
        | components['schemas']['ImageDelete']
        | components['schemas']['ChartSet']
        | components['schemas']['ChartDelete']
        | components['schemas']['Undo']
        | components['schemas']['Redo']
        | components['schemas']['Revert']
      )[];
      writer?: string;
      baseSeq?: number;
      /** @enum {string} */
      mode?: 'rebase' | 'strict' | 'atomic';
      group?: string;
      return?: {
        changes: number;
      };
    };
    SubmissionResult: {
      branch: string;
      /** @enum {string} */
      status: 'applied' | 'partial' | 'rejected' | 'duplicate';
      firstSeq: number | null;
      lastSeq: number | null;
      head: number;
      results: {
        id?: string;
        /** @enum {string} */
        status: 'applied' | 'rebased' | 'noop' | 'duplicate' | 'rejected';
        seq?: number;
        kind?: components['schemas']['SubmissionResultResultsKind'];
        payload?: unknown;
        of?: unknown;
        clipped?: string[];
        record?: string;
        comment?: string;
        sheet?: string;
        table?: string;
        rows?: components['schemas']['RowCounts'];
        error?: {
          code: string;
          message: string;
          hint: string;
          retryable: boolean;
          atSeq?: number;
          pointer?: string;
        };
      }[];
      changes?: components['schemas']['Changes'];
    };
    /** @enum {string} */
    SubmissionResultResultsKind:
      | 'cells.set'
      | 'range.set'
      | 'range.fill'
      | 'range.clear'
      | 'rows.insert'
      | 'rows.delete'
      | 'rows.move'
      | 'cols.insert'
      | 'cols.delete'
      | 'cols.move'
      | 'sheet.add'
      | 'sheet.rename'
      | 'sheet.delete'
      | 'sheet.move'
      | 'name.set'
      | 'name.delete'
      | 'name.rename'
      | 'numfmt.set'
      | 'settings.set'
      | 'format.set'
      | 'style.define'
      | 'style.delete'
      | 'rows.size'
      | 'rows.hide'
      | 'rows.group'
      | 'cols.size'
      | 'cols.hide'
      | 'cols.group'
      | 'sheet.props'
      | 'props.set'
      | 'policy.set'
      | 'commit'
      | 'range.autofill'
      | 'range.move'
      | 'range.copy'
      | 'range.sort'
      | 'range.insert'
      | 'range.delete'
      | 'table.create'
      | 'table.drop'
      | 'table.rename'
      | 'table.column.add'
      | 'table.column.drop'
      | 'table.column.rename'
      | 'table.column.alter'
      | 'table.column.move'
      | 'table.key.change'
      | 'rows.import'
      | 'rows.upsert'
      | 'cellmerge.add'
      | 'cellmerge.remove'
      | 'note.set'
      | 'note.delete'
      | 'comment.add'
      | 'comment.reply'
      | 'comment.edit'
      | 'comment.resolve'
      | 'comment.delete'
      | 'validation.set'
      | 'validation.delete'
      | 'cf.set'
      | 'cf.delete'
      | 'cf.move'
      | 'filter.set'
      | 'filter.clear'
      | 'protect.set'
      | 'protect.delete'
      | 'hyperlink.set'
      | 'image.set'
      | 'image.delete'
      | 'chart.set'
      | 'chart.delete'
      | 'undo'
      | 'redo'
      | 'revert'
      | 'merge';
    Table: {
      id: string;
      name: string;
      sheet: string;
      sheetId: string;
      range: string;
      keyColumn: string | null;
      schema: components['schemas']['TableCreationSchema'];
      headerRow: boolean;
      totalsRow: boolean;
      rowCount: number;
    };
    TableChanges: {
      name?: string;
      keyColumn?: string;
      changes?: (
        | {
            name: string;
            /** @constant */
            change: 'rename';
          }
        | {
            keyColumn: string;
            /** @constant */
            change: 'key';
          }
        | {
            column: string;
            /** @enum {string} */
            type?: 'any' | 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime';
            nullable?: boolean;
            default?: components['schemas']['Input'];
            enum?: components['schemas']['Input'][];
            formula?: string;
            before?: string;
            after?: string;
            /** @constant */
            change: 'column.add';
          }
        | {
            column: string;
            /** @constant */
            change: 'column.drop';
          }
        | {
            column: string;
            name: string;
            /** @constant */
            change: 'column.rename';
          }
        | {
            column: string;
            /** @enum {string} */
            type?: 'any' | 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime';
            nullable?: boolean;
            default?: components['schemas']['Input'];
            enum?: components['schemas']['TableColumnAlterPayloadEnum'];
            formula?: string | null;
            /** @constant */
            change: 'column.alter';
          }
        | {
            column: string;
            before?: string;
            after?: string;
            /** @constant */
            change: 'column.move';
          }
      )[];
      writer?: string;
      id?: string;
    };
    TableChangesPage: {
      from: components['schemas']['GetWorkbooksTablesRef'];
      to: components['schemas']['GetWorkbooksTablesRef'];
      table: string;
      name: string;
      key: string | null;
      change: ('added' | 'modified' | 'removed') | null;
      schema: {
        [key: string]: unknown;
      }[];
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      changes: {
        key: components['schemas']['DiffPageCellsBeforeInput'];
        /** @enum {string} */
        change: 'added' | 'modified' | 'removed';
        before: components['schemas']['TableChangesPageChangesBefore'];
        after: components['schemas']['TableChangesPageChangesBefore'];
        columns: string[];
      }[];
    };
    TableChangesPageChangesBefore: {
      [key: string]: components['schemas']['DiffPageCellsBeforeInput'];
    } | null;
    TableChangesStat: {
      from: components['schemas']['GetWorkbooksTablesRef'];
      to: components['schemas']['GetWorkbooksTablesRef'];
      table: string;
      name: string;
      key: string | null;
      change: ('added' | 'modified' | 'removed') | null;
      schema: {
        [key: string]: unknown;
      }[];
      total: number;
      added: number;
      modified: number;
      removed: number;
    };
    TableColumn: {
      name: string;
      /** @enum {string} */
      type?: 'any' | 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime';
      nullable?: boolean;
      default?: components['schemas']['Input'];
      enum?: components['schemas']['Input'][];
      formula?: string;
    };
    TableColumnAdd: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'table.column.add';
      payload: {
        table: string;
        column: string;
        /** @enum {string} */
        type?: 'any' | 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime';
        nullable?: boolean;
        default?: components['schemas']['Input'];
        enum?: components['schemas']['Input'][];
        formula?: string;
        before?: string;
        after?: string;
      };
    };
    TableColumnAlter: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'table.column.alter';
      payload: {
        table: string;
        column: string;
        /** @enum {string} */
        type?: 'any' | 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime';
        nullable?: boolean;
        default?: components['schemas']['Input'];
        enum?: components['schemas']['TableColumnAlterPayloadEnum'];
        formula?: string | null;
      };
    };
    TableColumnAlterPayloadEnum: components['schemas']['Input'][] | null;
    TableColumnDrop: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'table.column.drop';
      payload: {
        table: string;
        column: string;
      };
    };
    TableColumnMove: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'table.column.move';
      payload: {
        table: string;
        column: string;
        before?: string;
        after?: string;
      };
    };
    TableColumnRename: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'table.column.rename';
      payload: {
        table: string;
        column: string;
        name: string;
      };
    };
    TableCreate: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'table.create';
      payload: {
        name: string;
        sheetRange?: string;
        keyColumn?: string;
        schema?: {
          columns: components['schemas']['TableColumn'][];
        };
        headerRow?: boolean;
        totalsRow?: boolean;
      };
    };
    TableCreation: {
      name: string;
      sheetRange?: string;
      keyColumn?: string;
      schema?:
        | components['schemas']['TableCreationSchema']
        | {
            [key: string]:
              | ('any' | 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime')
              | {
                  /** @enum {string} */
                  type?: 'any' | 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime';
                  nullable?: boolean;
                  default?: components['schemas']['Input'];
                  enum?: components['schemas']['Input'][];
                  formula?: string;
                };
          };
      headerRow?: boolean;
      totalsRow?: boolean;
      writer?: string;
      id?: string;
    };
    TableCreationSchema: {
      columns: components['schemas']['TableColumn'][];
    };
    TableDrop: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'table.drop';
      payload: {
        table: string;
        keepCells?: boolean;
      };
    };
    TableKeyChange: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'table.key.change';
      payload: {
        table: string;
        keyColumn: string;
      };
    };
    TableRename: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'table.rename';
      payload: {
        table: string;
        name: string;
      };
    };
    Topology: {
      workbook: string;
      owner: {
        node: string;
        epoch: number;
        expiresInMs: number | null;
      } | null;
      nodes: {
        node: string;
        /** @enum {string} */
        role: 'front' | 'eval';
        load: number;
        hashRank: number;
      }[];
      sockets: number;
      branches: {
        branch: string;
        head: number;
        hotFromSeq: number | null;
        segments: number;
        snapshotSeq: number | null;
      }[];
      journal: {
        /** @constant */
        engine: 'postgres';
        shard: number;
      };
      history: {
        /** @enum {string} */
        engine: 'file' | 's3';
        prefix: string;
        sealedSeq: number | null;
      };
      lag: {
        wakeMs: number | null;
        tiles: number | null;
      };
    };
    TrialMerge: {
      title: string;
      description: string;
      state: components['schemas']['PostWorkbooksMergesResolveState'];
      source: components['schemas']['GetWorkbooksTablesRef'];
      target: components['schemas']['GetWorkbooksTablesRef'];
      base: components['schemas']['TrialMergeBase'];
      /** @enum {string} */
      strategy: 'none' | 'ours' | 'theirs';
      squash: boolean;
      /** @enum {string} */
      granularity?: 'cell' | 'row' | 'block' | 'sheet' | 'table';
      /** @enum {string} */
      grouping?: 'auto' | 'sheet' | 'table' | 'writer' | 'op-group';
      revertOf?: string;
      createdBy: string;
      createdAt: string;
      revision: number;
      result: components['schemas']['TrialMergeResult'];
      fastForward?: boolean;
      summary?: components['schemas']['TrialMergeSummary'];
      policy?: components['schemas']['TrialMergePolicy'];
      approvals?: components['schemas']['TrialMergeApprovals'][];
      units?: components['schemas']['Unit'][];
      refusal?: string;
      retry_after?: number;
      digest?: string;
      stateHash?: string;
      timeline: components['schemas']['TrialMergeTimeline'][];
    };
    TrialMergeApprovals: {
      by: string;
      at: string;
      /** @enum {string} */
      event: 'approve' | 'request_changes' | 'comment';
      digest: string;
      stale: boolean;
      units?: string[];
      comment?: string;
    };
    TrialMergeBase: {
      branch: string;
      seq: number;
      virtual: boolean;
    } | null;
    TrialMergePolicy: {
      required: number;
      approvals: number;
      blockedBy: string[];
      owners: {
        match: {
          [key: string]: unknown;
        };
        approvers: string[];
        approved: boolean;
      }[];
    };
    TrialMergeResult: {
      branch: string;
      seq: number;
      stateHash: string;
      vector: {
        [key: string]: number;
      };
      leafHash: string | null;
      tlogIndex: number | null;
    } | null;
    TrialMergeSummary: {
      changes: {
        cells: number;
        cellsAdded: number;
        cellsModified: number;
        cellsRemoved: number;
        rowsInserted: number;
        rowsDeleted: number;
        rowsMoved: number;
        colsInserted: number;
        colsDeleted: number;
        colsMoved: number;
        sheets: number;
        formats: number;
        names: number;
        tables: number;
        records: number;
        properties: number;
        settings: number;
        values?: number;
      };
      conflicts: {
        open: number;
        resolved: number;
      };
      violations: number | null;
      effects: {
        values: number;
        errors: number;
        unchecked?: string;
      } | null;
    };
    TrialMergeTimeline: {
      at: string;
      actor: string;
      event: string;
      detail?: string;
    };
    Undo: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'undo';
      payload: {
        of: number | string | components['schemas']['UndoPayloadOf'];
      };
    };
    UndoPayloadOf: {
      /** @constant */
      last: true;
      before?: number;
    };
    Unit: {
      id: string;
      title: string;
      auto: boolean;
      /** @enum {string} */
      decision: 'pending' | 'accept' | 'reject' | 'defer';
      reason?: string;
      requires: string[];
      changes: number;
      conflicts: string[];
    };
    Usage: {
      userId: string;
      /** @enum {string} */
      plan: 'anonymous' | 'standard';
      period: {
        from: string;
        to: string;
      };
      usage: {
        requests: number;
        operations: number;
        bytes: number;
        cells: number;
        evaluations: number;
        sockets: number;
        matches: number;
        'match.pairs': number;
        'match.embeddings': number;
        'match.verifications': number;
      };
      caps: {
        workbooks: components['schemas']['UsageCapsWorkbooks'];
        operationsPerMonth: components['schemas']['UsageCapsWorkbooks'];
        storageBytes: components['schemas']['UsageCapsWorkbooks'];
        cells?: {
          limit: number;
          used: number;
          remaining: number;
        };
        readsPerMinute: number;
        writesPerMinute: number;
      };
      account?: {
        usage: components['schemas']['UsageAccountUsage'];
        members: {
          userId: string;
          name: string;
          /** @enum {string} */
          relation: 'own' | 'linked';
          usage: components['schemas']['UsageAccountUsage'];
        }[];
      };
    };
    UsageAccountUsage: {
      requests: number;
      operations: number;
      bytes: number;
      cells: number;
      evaluations: number;
      sockets: number;
      matches: number;
      'match.pairs': number;
      'match.embeddings': number;
      'match.verifications': number;
    };
    UsageCapsWorkbooks: {
      limit: number;
      used: number;
      remaining: number;
    };
    ValidationDelete: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'validation.delete';
      payload: components['schemas']['ValidationDeletePayload'];
    };
    ValidationDeletePayload: {
      id: string;
    };
    ValidationSet: {
      id?: components['schemas']['OperationId'];
      expect?: components['schemas']['Expect'];
      /** @constant */
      kind: 'validation.set';
      payload: {
        id?: string;
        sheet?: string;
        ranges: string[];
        rule:
          | {
              /** @constant */
              type: 'list';
              items?: (number | boolean | string)[];
              source?: string;
              dropdown?: boolean;
            }
          | {
              /** @enum {string} */
              type: 'whole' | 'decimal' | 'date' | 'time' | 'textLength';
              /** @enum {string} */
              operator:
                | 'between'
                | 'notBetween'
                | 'equal'
                | 'notEqual'
                | 'lessThan'
                | 'lessThanOrEqual'
                | 'greaterThan'
                | 'greaterThanOrEqual';
              formula1: number | string;
              formula2?: number | string;
            }
          | {
              /** @constant */
              type: 'custom';
              formula1: string;
            }
          | {
              /** @constant */
              type: 'any';
            };
        /** @enum {string} */
        onInvalid?: 'reject' | 'warn' | 'inform' | 'ignore';
        allowBlank?: boolean;
        prompt?: {
          title?: string;
          text?: string;
        };
        error?: {
          title?: string;
          text?: string;
        };
      };
    };
    Value:
      | number
      | string
      | boolean
      | null
      | {
          error: string;
        };
    ValuesPage: {
      ref: components['schemas']['Position'];
      total: number;
      offset: number;
      limit: number;
      values: components['schemas']['ValuesPageValues'][];
    };
    ValuesPageValues: {
      sheet: string;
      cell: string;
      value: components['schemas']['Value'];
    };
    Verification: {
      ok: boolean;
      branches: {
        branch: string;
        deleted: boolean;
        head: number;
        hash: string;
        stateHash: string | null;
        checked: {
          segments: number;
          ops: number;
          sealed: number;
          snapshots: number;
          commits: number;
        };
      }[];
      segments: number;
      ops: number;
      snapshots: number;
      packs: number;
      nodes: number;
      commits: number;
      unlisted: number | null;
      statements: number;
      unpublished: number;
      log: {
        origin: string;
        size: number;
      };
      checkpoint: string;
      firstBad: {
        branch: string | null;
        seq: number;
        /** @enum {string} */
        what:
          | 'missing'
          | 'damaged'
          | 'misplaced'
          | 'broken_chain'
          | 'duplicate_id'
          | 'unplayable'
          | 'wrong_head'
          | 'wrong_fork'
          | 'wrong_entry'
          | 'wrong_snapshot'
          | 'wrong_commit'
          | 'wrong_statement'
          | 'not_logged';
        where: string;
        hint: string;
      } | null;
    };
    Webhook: {
      id: string;
      url: string;
      events: components['schemas']['PostWorkbooksWebhooksEvents'][];
      createdBy: string;
      createdAt: string;
      disabledAt: string | null;
      disabledBecause: string | null;
    };
    WebhookDelivery: {
      id: string;
      type: components['schemas']['PostWorkbooksWebhooksEvents'];
      /** @enum {string} */
      state: 'waiting' | 'delivered' | 'failed';
      attempts: number;
      madeAt: string;
      at: string;
      lastStatus: number | null;
      lastError: string | null;
    };
    WebhookReplay: {
      replayed: number;
      webhook: components['schemas']['Webhook'];
    };
    WebhookWithDeliveries: {
      id: string;
      url: string;
      events: components['schemas']['PostWorkbooksWebhooksEvents'][];
      createdBy: string;
      createdAt: string;
      disabledAt: string | null;
      disabledBecause: string | null;
      deliveries: components['schemas']['WebhookDelivery'][];
    };
    Webhooks: {
      webhooks: components['schemas']['Webhook'][];
    };
    WebsocketTicket: {
      ticket: string;
      expires_in: number;
    };
    Workbook: {
      id: string;
      name: string;
      namespace: string;
      /** @enum {string} */
      state: 'active' | 'archived';
      archived: boolean;
      archivedAt: string | null;
      updatedAt: string;
      ownerId?: string;
      branch: string;
      head: number;
      createdAt: string;
    };
  };
  responses: {
    AnyOtherFailure: {
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    AnyOtherFailure2: {
      content: {
        'application/json': components['schemas']['IdentityFailure'];
      };
    };
    NoValidCredential: {
      headers: {
        'WWW-Authenticate'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    NoValidCredential2: {
      headers: {
        'WWW-Authenticate'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['IdentityFailure'];
      };
    };
    TheCredentialLacksTheScopeRead: {
      headers: {
        'WWW-Authenticate'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    TheCredentialLacksTheScopeRead2: {
      headers: {
        'WWW-Authenticate'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['IdentityFailure'];
      };
    };
    TheCredentialLacksTheScopeWrite: {
      headers: {
        'WWW-Authenticate'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    TheRequestIsRefused: {
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    TheRequestIsRefused2: {
      content: {
        'application/json': components['schemas']['IdentityFailure'];
      };
    };
  };
  parameters: {
    Branch: string;
    Branch2: string;
    Format: 'json' | 'ndjson' | 'csv' | 'daff' | 'patch';
    Id: string;
    Kinds: string;
    Limit: number;
    Limit2: number;
    Limit3: number;
    Limit4: number;
    Mid: string;
    MinSeq: number;
    Offset: number;
    Range: string[];
    Ref: string;
    Rest: string;
    Sheet: string;
    Tid: string;
    To: string;
    User: string;
    Values: 'true' | 'false';
    Webhook2: string;
    Wid: string;
    Writer: string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export interface operations {
  getWorkbooksBranchesOps: {
    parameters: {
      query?: {
        after?: number;
        before?: number;
        payload?: 'true' | 'false';
        limit?: components['parameters']['Limit'];
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['HistoryPage'];
        };
      };
    };
  };
  postWorkbooksBranchesOps: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Submission'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['SubmissionResult'];
        };
      };
    };
  };
  getWorkbooksBranchesState: {
    parameters: {
      query?: {
        ref?: string;
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['BranchState'];
        };
      };
    };
  };
  postWorkbooksBranchesFlush: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
      };
    };
    requestBody?: {
      content: {
        'application/json': Record<string, unknown>;
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Flushed'];
        };
      };
    };
  };
  postWorkbooksBranchesCommit: {
    parameters: {
      query?: {
        wait?: 'published';
      };
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
      };
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['PostWorkbooksBranchesCommit'];
      };
    };
    responses: {
      201: {
        content: {
          'application/json': components['schemas']['Commit'];
        };
      };
    };
  };
  postWorkbooksBranchesCheckpoint: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
      };
    };
    requestBody?: {
      content: {
        'application/json': Record<string, unknown>;
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Snapshot'];
        };
      };
    };
  };
  getWorkbooksCommits: {
    parameters: {
      query?: {
        offset?: components['parameters']['Offset'];
        limit?: components['parameters']['Limit2'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetWorkbooksCommits'];
        };
      };
    };
  };
  getWorkbooksBranches: {
    parameters: {
      query?: {
        include?: 'archived';
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetWorkbooksBranches'];
        };
      };
    };
  };
  postWorkbooksBranches: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PostWorkbooksBranches'];
      };
    };
    responses: {
      201: {
        content: {
          'application/json': components['schemas']['CreatedBranch'];
        };
      };
    };
  };
  deleteWorkbooksBranchesById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch2'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['DeleteWorkbooksBranchesById'];
        };
      };
    };
  };
  postWorkbooksBranchesRestore: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch2'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['PostWorkbooksBranchesRestore'];
        };
      };
    };
  };
  getWorkbooksMerges: {
    parameters: {
      query?: {
        offset?: components['parameters']['Offset'];
        limit?: components['parameters']['Limit2'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetWorkbooksMerges'];
        };
      };
    };
  };
  postWorkbooksMerges: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PostWorkbooksMerges'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['TrialMerge'];
        };
      };
      201: {
        content: {
          'application/json': components['schemas']['Merge'];
        };
      };
    };
  };
  getWorkbooksMergesById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Merge'];
        };
      };
      202: {
        content: {
          'application/json': components['schemas']['Merge'];
        };
      };
    };
  };
  getWorkbooksMergesConflicts: {
    parameters: {
      query?: {
        status?: 'open' | 'resolved';
        kind?: string;
        sheet?: string;
        table?: string;
        column?: string;
        unit?: string;
        writer?: string;
        offset?: components['parameters']['Offset'];
        limit?: number;
      };
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetWorkbooksMergesConflicts'];
        };
      };
    };
  };
  postWorkbooksMergesResolve: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PostWorkbooksMergesResolve'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['PostWorkbooksMergesResolve2'];
        };
      };
    };
  };
  postWorkbooksMergesApprove: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['PostWorkbooksMergesApprove'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Merge'];
        };
      };
      202: {
        content: {
          'application/json': components['schemas']['Merge'];
        };
      };
    };
  };
  postWorkbooksMergesAbort: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @default  */
          reason?: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Merge'];
        };
      };
    };
  };
  getWorkbooksMergesDiff: {
    parameters: {
      query?: {
        values?: components['parameters']['Values'];
        sheet?: components['parameters']['Sheet'];
        kinds?: components['parameters']['Kinds'];
        format?: components['parameters']['Format'];
        offset?: components['parameters']['Offset'];
        limit?: components['parameters']['Limit3'];
      };
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['DiffPage'];
        };
      };
    };
  };
  putWorkbooksMergesUnits: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PutWorkbooksMergesUnits'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['PutWorkbooksMergesUnits2'];
        };
      };
    };
  };
  getWorkbooks: {
    parameters: {
      query?: {
        include?: 'archived';
        source?: 'pg';
        offset?: components['parameters']['Offset'];
        limit?: components['parameters']['Limit2'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetWorkbooks'];
        };
      };
    };
  };
  postWorkbooks: {
    parameters: {
      query?: {
        name?: string;
        namespace?: string;
        sheet?: string;
        delimiter?: string;
        text?: 'true' | 'false';
      };
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['PostWorkbooks'];
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': string;
        'application/vnd.ms-excel.sheet.macroenabled.12': string;
        'text/csv': string;
        'application/octet-stream': string;
        'application/vnd.ms-excel': string;
      };
    };
    responses: {
      201: {
        content: {
          'application/json': components['schemas']['CreatedWorkbook'];
        };
      };
    };
  };
  getWorkbooksById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Workbook'];
        };
      };
    };
  };
  deleteWorkbooksById: {
    parameters: {
      query?: {
        purge?: 'true' | 'false';
        confirm?: string;
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['DeleteWorkbooksById'];
        };
      };
    };
  };
  patchWorkbooksById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PatchWorkbooksById'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Workbook'];
        };
      };
    };
  };
  getWorkbooksCollaborators: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Collaborators'];
        };
      };
    };
  };
  putWorkbooksCollaboratorsById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        user: components['parameters']['User'];
      };
    };
    requestBody: {
      content: {
        'application/json': {
          /** @enum {string} */
          role: 'editor' | 'reviewer' | 'viewer';
        };
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Collaborators'];
        };
      };
    };
  };
  deleteWorkbooksCollaboratorsById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        user: components['parameters']['User'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Collaborators'];
        };
      };
    };
  };
  getWorkbooksSlice: {
    parameters: {
      query: {
        ref?: components['parameters']['Ref'];
        range: components['parameters']['Range'];
        lens?: 'value' | 'formula' | 'input' | 'formatted';
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetWorkbooksSlice'];
        };
      };
    };
  };
  getWorkbooksEvalStats: {
    parameters: {
      query?: {
        ref?: components['parameters']['Ref'];
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['EvalStats'];
        };
      };
    };
  };
  postWorkbooksEvalCeiling: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PostWorkbooksEvalCeiling'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['PostWorkbooksEvalCeiling2'];
        };
      };
    };
  };
  getWorkbooksBranchesExport: {
    parameters: {
      query?: {
        format?: 'json' | 'xlsx' | 'csv' | 'ndjson';
        sheet?: string;
        escape?: 'excel' | 'none';
        as?: 'value' | 'shown';
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': unknown;
          'application/x-ndjson': unknown;
          'text/csv; charset=utf-8; header=absent': unknown;
          'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': unknown;
        };
      };
    };
  };
  getWorkbooksValues: {
    parameters: {
      query?: {
        ref?: components['parameters']['Ref'];
        offset?: components['parameters']['Offset'];
        limit?: number;
        whole?: 'true' | 'false';
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['ValuesPage'];
        };
      };
      202: {
        content: {
          'application/json': components['schemas']['GetWorkbooksValues'];
        };
      };
    };
  };
  deleteWorkbooksValues: {
    parameters: {
      query?: {
        ref?: components['parameters']['Ref'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['DeleteWorkbooksValues'];
        };
      };
    };
  };
  getWorkbooksFind: {
    parameters: {
      query: {
        q: string;
        ref?: components['parameters']['Ref'];
        sheet?: string;
        lens?: 'value' | 'formula' | 'input';
        match?: 'contains' | 'whole' | 'starts';
        case?: 'true' | 'false';
        limit?: components['parameters']['Limit4'];
        cursor?: string;
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['FoundPage'];
        };
      };
      202: {
        content: {
          'application/json': components['schemas']['GetWorkbooksValues'];
        };
      };
    };
  };
  getWorkbooksEdge: {
    parameters: {
      query: {
        cell: string;
        sheet?: string;
        direction: 'up' | 'down' | 'left' | 'right';
        ref?: components['parameters']['Ref'];
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Edge'];
        };
      };
    };
  };
  postWorkbooksScenario: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ScenarioRequest'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Scenario'];
        };
      };
    };
  };
  getWorkbooksFormats: {
    parameters: {
      query: {
        ref?: string;
        range: components['parameters']['Range'];
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Formats'];
        };
      };
    };
  };
  getWorkbooksBlame: {
    parameters: {
      query: {
        ref?: string;
        range: string;
        cursor?: string;
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['BlamePage'];
        };
      };
    };
  };
  postWorkbooksBranchesTables: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TableCreation'];
      };
    };
    responses: {
      201: {
        content: {
          'application/json': components['schemas']['PostWorkbooksBranchesTables'];
        };
      };
    };
  };
  getWorkbooksTables: {
    parameters: {
      query?: {
        ref?: components['parameters']['Ref'];
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetWorkbooksTables'];
        };
      };
    };
  };
  getWorkbooksTablesById: {
    parameters: {
      query?: {
        ref?: components['parameters']['Ref'];
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
        tid: components['parameters']['Tid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetWorkbooksTablesById'];
        };
      };
    };
  };
  deleteWorkbooksBranchesTablesById: {
    parameters: {
      query?: {
        ifUnused?: 'true' | 'false';
        keepCells?: 'true' | 'false';
        writer?: components['parameters']['Writer'];
      };
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
        tid: components['parameters']['Tid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['DeleteWorkbooksBranchesTablesById'];
        };
      };
    };
  };
  patchWorkbooksBranchesTablesById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
        tid: components['parameters']['Tid'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TableChanges'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['PatchWorkbooksBranchesTablesById'];
        };
      };
    };
  };
  postWorkbooksBranchesTablesRows: {
    parameters: {
      query?: {
        mode?: 'upsert' | 'import' | 'delete';
        atomic?: 'true' | 'false';
        raw?: 'true' | 'false';
        onInvalid?: 'reject' | 'skip';
        onMissing?: 'error' | 'ignore';
        delimiter?: string;
        writer?: components['parameters']['Writer'];
        id?: string;
      };
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
        tid: components['parameters']['Tid'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RowsWrite'];
        'application/x-ndjson': string;
        'text/csv': string;
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['RowsWritten'];
        };
      };
      202: {
        content: {
          'application/json': components['schemas']['RowWrite'];
        };
      };
    };
  };
  getWorkbooksRowWritesById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        wid: components['parameters']['Wid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['RowWrite'];
        };
      };
    };
  };
  deleteWorkbooksRowWritesById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        wid: components['parameters']['Wid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['RowWrite'];
        };
      };
    };
  };
  getWorkbooksTablesRows: {
    parameters: {
      query?: {
        ref?: components['parameters']['Ref'];
        columns?: string[];
        order?: string[];
        where?: string;
        keys?: string[];
        after?: string;
        offset?: components['parameters']['Offset'];
        limit?: components['parameters']['Limit'];
        whole?: 'true' | 'false';
        as?: 'objects' | 'lists' | 'columns';
        lens?: 'value' | 'input' | 'formula';
        escape?: 'excel' | 'none';
        group?: string[];
        count?: string[];
        sum?: string[];
        average?: string[];
        min?: string[];
        max?: string[];
        distinct?: string[];
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
        tid: components['parameters']['Tid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json':
            | components['schemas']['RowsPage']
            | components['schemas']['RowGroups'];
        };
      };
    };
  };
  getWorkbooksDiff: {
    parameters: {
      query: {
        from: string;
        to?: components['parameters']['To'];
        values?: components['parameters']['Values'];
        sheet?: components['parameters']['Sheet'];
        kinds?: components['parameters']['Kinds'];
        format?: components['parameters']['Format'];
        offset?: components['parameters']['Offset'];
        limit?: components['parameters']['Limit3'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['DiffPage'];
        };
      };
      202: {
        content: {
          'application/json': components['schemas']['GetWorkbooksValues'];
        };
      };
    };
  };
  getWorkbooksTablesChanges: {
    parameters: {
      query: {
        from: string;
        to?: components['parameters']['To'];
        stat?: 'true' | 'false';
        wait?: number;
        offset?: components['parameters']['Offset'];
        limit?: components['parameters']['Limit'];
      };
      path: {
        id: components['parameters']['Id'];
        tid: components['parameters']['Tid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json':
            | components['schemas']['TableChangesPage']
            | components['schemas']['TableChangesStat'];
        };
      };
    };
  };
  getWorkbooksMatches: {
    parameters: {
      query?: {
        offset?: components['parameters']['Offset'];
        limit?: components['parameters']['Limit4'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetWorkbooksMatches'];
        };
      };
    };
  };
  postWorkbooksMatches: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PostWorkbooksMatches'];
      };
    };
    responses: {
      202: {
        content: {
          'application/json': {
            matchId: string;
            poll: string;
          };
        };
      };
    };
  };
  getWorkbooksMatchesById: {
    parameters: {
      query?: {
        offset?: components['parameters']['Offset'];
        limit?: number;
        decision?: 'accept' | 'review' | 'reject';
      };
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['MatchPage'];
        };
      };
    };
  };
  deleteWorkbooksMatchesById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['MatchSummary'];
        };
      };
    };
  };
  patchWorkbooksMatchesRows: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PatchWorkbooksMatchesRows'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['MatchSummary'];
        };
      };
    };
  };
  postWorkbooksMatchesApply: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        mid: components['parameters']['Mid'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PostWorkbooksMatchesApply'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['PostWorkbooksMatchesApply2'];
        };
      };
    };
  };
  getMatchProviders: {
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['MatchProviders'];
        };
      };
    };
  };
  getWorkbooksSettings: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Settings'];
        };
      };
    };
  };
  putWorkbooksSettings: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PutWorkbooksSettings'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Settings'];
        };
      };
    };
  };
  postWorkbooksRestore: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Workbook'];
        };
      };
    };
  };
  postWorkbooksWake: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['PostWorkbooksWake'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['HotWorkbook'];
        };
      };
      202: {
        content: {
          'application/json': components['schemas']['PostWorkbooksWake2'];
        };
      };
    };
  };
  postWorkbooksTopology: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['PostWorkbooksTopology'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Topology'];
        };
      };
    };
  };
  getWorkbooksWs: {
    parameters: {
      query?: {
        branch?: string;
        ticket?: string;
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: never;
  };
  postWorkbooksWsTicket: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @default main */
          branch?: string;
        };
      };
    };
    responses: {
      201: {
        content: {
          'application/json': components['schemas']['WebsocketTicket'];
        };
      };
    };
  };
  getWorkbooksBranchesEvents: {
    parameters: {
      query?: {
        after?: number;
        cells?: 'all' | 'none';
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
        branch: components['parameters']['Branch'];
      };
    };
    responses: {
      200: {
        content: {
          'text/event-stream': unknown;
        };
      };
    };
  };
  getWorkbooksWebhooks: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Webhooks'];
        };
      };
    };
  };
  postWorkbooksWebhooks: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PostWorkbooksWebhooks'];
      };
    };
    responses: {
      201: {
        content: {
          'application/json': components['schemas']['CreatedWebhook'];
        };
      };
    };
  };
  getWorkbooksWebhooksById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        webhook: components['parameters']['Webhook2'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['WebhookWithDeliveries'];
        };
      };
    };
  };
  deleteWorkbooksWebhooksById: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        webhook: components['parameters']['Webhook2'];
      };
    };
    responses: {
      204: {};
    };
  };
  postWorkbooksWebhooksReplay: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
        webhook: components['parameters']['Webhook2'];
      };
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['PostWorkbooksWebhooksReplay'];
      };
    };
    responses: {
      202: {
        content: {
          'application/json': components['schemas']['WebhookReplay'];
        };
      };
    };
  };
  getWorkbooksRecords: {
    parameters: {
      query?: {
        ref?: components['parameters']['Ref'];
        types?: string;
        sheet?: string;
        range?: string;
        offset?: components['parameters']['Offset'];
        limit?: components['parameters']['Limit'];
        minSeq?: components['parameters']['MinSeq'];
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['RecordsPage'];
        };
      };
    };
  };
  postWorkbooksVerify: {
    parameters: {
      path: {
        id: components['parameters']['Id'];
      };
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['PostWorkbooksVerify'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Verification'];
        };
      };
    };
  };
  getTlogCheckpoint: {
    responses: {
      200: {
        content: {
          'text/plain': unknown;
        };
      };
    };
  };
  getTlogTileById: {
    parameters: {
      path: {
        rest: components['parameters']['Rest'];
      };
    };
    responses: {
      200: {
        content: {
          'application/octet-stream': unknown;
        };
      };
    };
  };
  getTlogPastById: {
    parameters: {
      path: {
        rest: components['parameters']['Rest'];
      };
    };
    responses: {
      200: {
        content: {
          'application/octet-stream': unknown;
        };
      };
    };
  };
  getTlogProof: {
    parameters: {
      query: {
        leaf_hash: string;
        tree_size?: number;
        format?: 'json' | 'tlog-proof';
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['InclusionProof'];
        };
      };
      202: {
        content: {
          'application/json': components['schemas']['GetTlogProof'];
        };
      };
    };
  };
  postTlogProofs: {
    requestBody: {
      content: {
        'application/json': components['schemas']['PostTlogProofs'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['PostTlogProofs2'];
        };
      };
    };
  };
  getTlogConsistency: {
    parameters: {
      query: {
        from: number;
        to?: number;
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetTlogConsistency'];
        };
      };
    };
  };
  getTlogStatus: {
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['LogStatus'];
        };
      };
    };
  };
  getTlogPolicy: {
    responses: {
      200: {
        content: {
          'text/plain': unknown;
        };
      };
    };
  };
  getWorkbooksProofs: {
    parameters: {
      query?: {
        branch?: string;
        branchNo?: number;
        seq?: number;
        from?: number;
        to?: number;
        format?: 'json' | 'tar' | 'tlog-proof';
      };
      path: {
        id: components['parameters']['Id'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetWorkbooksProofs'];
        };
      };
      202: {
        content: {
          'application/json': components['schemas']['GetTlogProof'];
        };
      };
    };
  };
  getAccountUsage: {
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['Usage'];
        };
      };
    };
  };
  getMcp: {
    responses: {
      200: {
        content: {
          'text/event-stream': unknown;
        };
      };
    };
  };
  postMcp: {
    requestBody: {
      content: {
        'application/json': components['schemas']['McpMessage'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['McpAnswer'];
        };
      };
      202: {};
    };
  };
  deleteMcp: {
    responses: {
      204: {};
    };
  };
  getHealth: {
    responses: {
      200: {
        content: {
          'application/json': {
            /** @constant */
            status: 'ok';
            version: string;
            uptime_s: number;
          };
        };
      };
    };
  };
  getReady: {
    responses: {
      200: {
        content: {
          'application/json': components['schemas']['GetReady'];
        };
      };
    };
  };
  getMetrics: {
    responses: {
      200: {
        content: {
          'text/plain': unknown;
        };
      };
    };
  };
  postAgentAuth: {
    requestBody: {
      content: {
        'application/json': {
          type: string;
          requested_credential_type?: string;
          assertions?: {
            type: string;
            email?: string;
          }[];
          assertion_type?: string;
          assertion?: string;
          client?: {
            name?: string;
            version?: string;
          };
        };
      };
    };
    responses: {
      200: {
        content: {
          'application/json': {
            /** @constant */
            ok: true;
            data: components['schemas']['Registered'];
          };
        };
      };
    };
  };
  postAgentAuthClaim: {
    requestBody: {
      content: {
        'application/json': {
          claim_token: string;
          email: string;
          /** @default false */
          link?: boolean;
        };
      };
    };
    responses: {
      200: {
        content: {
          'application/json': {
            /** @constant */
            ok: true;
            data: components['schemas']['SentCode'];
          };
        };
      };
    };
  };
  postAgentAuthClaimComplete: {
    requestBody: {
      content: {
        'application/json': {
          claim_token: string;
          otp: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          'application/json': {
            /** @constant */
            ok: true;
            data: components['schemas']['Claimed'];
          };
        };
      };
    };
  };
  getAgentAuthMe: {
    responses: {
      200: {
        content: {
          'application/json': {
            /** @constant */
            ok: true;
            data: {
              user_id: string;
              scopes: string[];
            } & {
              [key: string]: unknown;
            };
          };
        };
      };
    };
  };
  postAgentAuthRotate: {
    responses: {
      200: {
        content: {
          'application/json': {
            /** @constant */
            ok: true;
            data: {
              credential: string;
              credential_expires: string | null;
            } & {
              [key: string]: unknown;
            };
          };
        };
      };
    };
  };
  postAgentAuthRevoke: {
    requestBody?: {
      content: {
        'application/json': {
          credential?: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          'application/json': {
            /** @constant */
            ok: true;
            data: {
              revoked: boolean;
            };
          };
        };
      };
    };
  };
  getWellKnownOauthProtectedResource: {
    responses: {
      200: {};
    };
  };
  getWellKnownOauthProtectedResourceMcp: {
    responses: {
      200: {};
    };
  };
  getWellKnownOauthAuthorizationServer: {
    responses: {
      200: {};
    };
  };
  getAuthMd: {
    responses: {
      200: {
        content: {
          'text/markdown': unknown;
        };
      };
    };
  };
  getLlmsTxt: {
    responses: {
      200: {
        content: {
          'text/plain': unknown;
        };
      };
    };
  };
  getRobotsTxt: {
    responses: {
      200: {
        content: {
          'text/plain': unknown;
        };
      };
    };
  };
  getFaviconSvg: {
    responses: {
      200: {
        content: {
          'image/svg+xml': unknown;
        };
      };
    };
  };
  getFaviconIco: {
    responses: {
      301: {};
    };
  };
  get: {
    responses: {
      200: {};
      303: {};
    };
  };
  getWellKnownSecurityTxt: {
    responses: {
      200: {
        content: {
          'text/plain': unknown;
        };
      };
    };
  };
  postOauth2Token: {
    requestBody: {
      content: {
        'application/x-www-form-urlencoded': string;
      };
    };
    responses: {
      200: {};
    };
  };
  postOauth2Revoke: {
    requestBody: {
      content: {
        'application/x-www-form-urlencoded': string;
      };
    };
    responses: {
      200: {};
    };
  };
  postOauth2Introspect: {
    requestBody: {
      content: {
        'application/x-www-form-urlencoded': string;
      };
    };
    responses: {
      200: {};
    };
  };
  postOauth2Register: {
    requestBody: {
      content: {
        'application/json': {
          redirect_uris: string[];
          client_name?: string;
          token_endpoint_auth_method?: string;
          grant_types?: string[];
          response_types?: string[];
        };
      };
    };
    responses: {
      201: {};
    };
  };
  getOpenapiJson: {
    responses: {
      200: {
        content: {
          'application/json': unknown;
        };
      };
    };
  };
  getDocs: {
    responses: {
      200: {
        content: {
          'text/html': unknown;
        };
      };
    };
  };
  getDocsById: {
    parameters: {
      path: {
        page: string;
      };
    };
    responses: {
      200: {
        content: {
          'text/markdown': unknown;
        };
      };
    };
  };
  getProblemsById: {
    parameters: {
      path: {
        code: string;
      };
    };
    responses: {
      200: {
        content: {
          'text/html': unknown;
          'text/markdown': unknown;
          'application/json': unknown;
        };
      };
    };
  };
}
