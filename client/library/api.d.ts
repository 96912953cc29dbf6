// Long because it is made: `npm run client-types` writes it from /openapi.json.
// SHA-256 of what it was made from: 498643f4603d21b2101563d50e0991330672b5f71dd2c9e8dfbcbb26f066a9f1
type Schemas = components['schemas'];
type Parameters = components['parameters'];
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
  '/v1/workbooks/{id}/tables/{tid}/reconciliation': {
    /** Reconciliation: make an address of a table for OpenRefine */
    post: operations['postWorkbooksTablesReconciliation'];
  };
  '/v1/workbooks/{id}/reconciliation': {
    /** Reconciliation: list the addresses that there are */
    get: operations['getWorkbooksReconciliation'];
  };
  '/v1/workbooks/{id}/reconciliation/{link}': {
    /** Reconciliation: revoke an address */
    delete: operations['deleteWorkbooksReconciliationById'];
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
      ref: Schemas['GetWorkbooksTablesRef'];
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
        kind: Schemas['SubmissionResultResultsKind'];
        opId: string | null;
        merge: Schemas['BlamePageCellsMerge'];
        cell: string;
        format: Schemas['Origin'] | null;
      }[];
      formats: {
        cell: string;
        format: Schemas['Origin'];
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
      /** @enum {unknown} */
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
      color?: Schemas['Color'];
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
        properties: Schemas['BranchStateSheetsProperties'];
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
        schema: Schemas['BranchStateTablesSchema'];
        headerRow: boolean;
        totalsRow: boolean;
        style?: Schemas['TableStyle'];
      }[];
      records: { [key: string]: number };
      settings: { [key: string]: boolean | string | number | string[] };
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
      tabColor?: Schemas['Color'];
      zoom?: number;
    };
    BranchStateTablesSchema: { columns: Schemas['TableColumn'][] };
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
      color?: Schemas['Color'] | null;
      fill?: Schemas['Fill'] | null;
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
      rotation?: (number | 'vertical') | null;
      indent?: number | null;
      border?: Schemas['CellStyleChangesBorder'];
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
      color?: Schemas['Color'] | null;
      fill?: Schemas['Fill'] | null;
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
      rotation?: (number | 'vertical') | null;
      indent?: number | null;
      border?: Schemas['CellStyleChangesBorder'];
      locked?: boolean | null;
      hidden?: boolean | null;
      named?: string | null;
    };
    CellStyleChangesBorder: {
      top?: Schemas['BorderLine'] | null;
      bottom?: Schemas['BorderLine'] | null;
      left?: Schemas['BorderLine'] | null;
      right?: Schemas['BorderLine'] | null;
      diagonalUp?: Schemas['BorderLine'] | null;
      diagonalDown?: Schemas['BorderLine'] | null;
    } | null;
    CellmergeAdd: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'cellmerge.add';
      payload: Schemas['CellmergeAddPayload'];
    };
    CellmergeAddPayload: {
      sheet?: string;
      range: string;
    };
    CellmergeRemove: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'cellmerge.remove';
      payload: Schemas['CellmergeAddPayload'];
    };
    CellsSet: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'cells.set';
      payload: {
        sheet?: string;
        cells: {
          a1: string;
          input?: Schemas['Input'];
          fmt?: string;
          expect?: Schemas['ExpectedInput'];
          array?: string;
          /** @constant */
          legacy?: true;
        }[];
        raw?: boolean;
        parse?: boolean;
      };
    };
    CfDelete: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'cf.delete';
      payload: Schemas['ValidationDeletePayload'];
    };
    CfMove: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
              /** @enum {unknown} */
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
                /** @enum {unknown} */
                at: 'min' | 'max' | 'num' | 'percent' | 'percentile' | 'formula';
                value?: number | string;
                color: Schemas['CfSetPayloadRulePointsColor'];
              }[];
            }
          | {
              /** @constant */
              type: 'dataBar';
              min: Schemas['CfSetPayloadRuleMin'];
              max: Schemas['CfSetPayloadRuleMin'];
              color: Schemas['CfSetPayloadRulePointsColor'];
              showValue?: boolean;
              minLength?: number;
              maxLength?: number;
            }
          | {
              /** @constant */
              type: 'iconSet';
              icons: string;
              own?: ({
                set: string;
                index: number;
              } | null)[];
              points: {
                /** @enum {unknown} */
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
              /** @enum {unknown} */
              type: 'containsText' | 'notContainsText' | 'beginsWith' | 'endsWith';
              text?: string;
              formula1?: string;
            }
          | {
              /** @constant */
              type: 'timePeriod';
              /** @enum {unknown} */
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
              /** @enum {unknown} */
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
          /** @enum {unknown} */
          underline?: 'single' | 'double' | 'none';
          strike?: boolean;
          color?: Schemas['CfSetPayloadRulePointsColor'];
          fill?: Schemas['CfSetPayloadRulePointsColor'];
          pattern?: Schemas['CfSetPayloadStylePattern'];
          numberFormat?: string;
          border?: {
            left?: Schemas['CfSetPayloadStylePattern'];
            right?: Schemas['CfSetPayloadStylePattern'];
            top?: Schemas['CfSetPayloadStylePattern'];
            bottom?: Schemas['CfSetPayloadStylePattern'];
          };
        };
        stopIfTrue?: boolean;
        priority?: number;
      };
    };
    CfSetPayloadRuleMin: {
      /** @enum {unknown} */
      at: 'min' | 'max' | 'num' | 'percent' | 'percentile' | 'formula';
      value?: number | string;
    };
    CfSetPayloadRulePointsColor:
      | string
      | {
          theme: number;
          tint?: number;
        };
    CfSetPayloadStylePattern: {
      style: string;
      color?: Schemas['CfSetPayloadRulePointsColor'];
    };
    Changes:
      | {
          cells: Schemas['ChangesCells'][];
          total: number;
          errors: Schemas['ChangesCells'][];
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
      before: Schemas['Value'];
      after: Schemas['Value'];
    };
    ChartDelete: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'chart.delete';
      payload: Schemas['ValidationDeletePayload'];
    };
    ChartSet: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'chart.set';
      payload: Schemas['ImageSetPayload'];
    };
    Claimed: {
      credential: string;
      user_id: string;
      scopes: ('read' | 'write' | 'account')[];
      /** @enum {unknown} */
      mode: 'merge' | 'link';
      owner: {
        user_id: string;
        email: string;
      };
    } & { [key: string]: unknown };
    Collaborators: {
      collaborators: {
        userId: string;
        /** @enum {unknown} */
        role: 'owner' | 'editor' | 'reviewer' | 'viewer';
        /** @enum {unknown} */
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'cols.delete';
      payload: {
        sheet: string;
        from?: Schemas['ColsInsertPayloadBefore'];
        count?: number;
        spans?: Schemas['ColsDeletePayloadSpans'][];
      };
    };
    ColsDeletePayloadSpans: {
      from: Schemas['ColsInsertPayloadBefore'];
      count?: number;
    };
    ColsGroup: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'cols.group';
      payload: {
        sheet: string;
        from?: Schemas['ColsInsertPayloadBefore'];
        count?: number;
        spans?: Schemas['ColsDeletePayloadSpans'][];
        level?: number;
        collapsed?: boolean;
      };
    };
    ColsHide: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'cols.hide';
      payload: {
        sheet: string;
        from?: Schemas['ColsInsertPayloadBefore'];
        count?: number;
        spans?: Schemas['ColsDeletePayloadSpans'][];
        hidden?: boolean;
      };
    };
    ColsInsert: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'cols.insert';
      payload: {
        sheet: string;
        before?: Schemas['ColsInsertPayloadBefore'];
        after?: Schemas['ColsInsertPayloadBefore'];
        count?: number;
        /** @enum {unknown} */
        inherit?: 'before' | 'after' | 'none';
      };
    };
    ColsInsertPayloadBefore: number | string;
    ColsMove: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'cols.move';
      payload: {
        sheet: string;
        from?: Schemas['ColsInsertPayloadBefore'];
        count?: number;
        spans?: Schemas['ColsDeletePayloadSpans'][];
        before: Schemas['ColsInsertPayloadBefore'];
      };
    };
    ColsSize: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'cols.size';
      payload: {
        sheet: string;
        from?: Schemas['ColsInsertPayloadBefore'];
        count?: number;
        spans?: Schemas['ColsDeletePayloadSpans'][];
        px?: number;
        /** @constant */
        auto?: true;
      };
    };
    CommentAdd: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'comment.delete';
      payload: {
        thread: string;
        comment?: string;
      };
    };
    CommentEdit: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'comment.edit';
      payload: {
        thread: string;
        comment: string;
        text: string;
      };
    };
    CommentReply: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      /** @enum {unknown} */
      tlog: 'pending' | 'published';
      proof?: string;
    };
    Conflict: {
      id: string;
      kind: string;
      subtype?: string;
      /** @enum {unknown} */
      severity: 'conflict' | 'warning';
      /** @enum {unknown} */
      status: 'open' | 'resolved';
      unit: string | null;
      text: string;
      path: { [key: string]: unknown };
      row?: {
        base: { [key: string]: unknown } | null;
        ours: { [key: string]: unknown } | null;
        theirs: { [key: string]: unknown } | null;
      };
      base: Schemas['ConflictSide'];
      ours: Schemas['ConflictSide'];
      theirs: Schemas['ConflictSide'];
      choices: string[];
      resolution: Schemas['MadeChoice'] | null;
      previousResolution?: Schemas['MadeChoice'];
    };
    ConflictSide: {
      /** @enum {unknown} */
      change?: 'added' | 'modified' | 'removed' | 'moved' | 'formatted';
      input?: unknown;
      value?: unknown;
      text?: string;
      terms?: unknown[];
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
      merge?: { id: string } & { [key: string]: unknown };
    } & { [key: string]: unknown };
    CreatedBranch: {
      name: string;
      no: number;
      head: number;
      from: Schemas['CreatedBranchFrom'];
      vector: { [key: string]: number };
      description: string | null;
      createdBy: string | null;
      createdAt: string;
      ttlDays: number | null;
      stateHash: string | null;
    };
    CreatedBranchFrom: {
      branch: string | null;
      seq: number;
    } | null;
    CreatedWebhook: {
      id: string;
      url: string;
      events: Schemas['PostWorkbooksWebhooksEvents'][];
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
        properties: Schemas['BranchStateSheetsProperties'];
      }[];
      dropped: {
        what: string;
        where?: string;
        count: number;
        why: string;
      }[];
    };
    DaffTables: {
      from: Schemas['GetWorkbooksTablesRef'];
      to: Schemas['GetWorkbooksTablesRef'];
      /** @enum {unknown} */
      relation: 'same' | 'ahead' | 'behind' | 'diverged';
      base: Schemas['CreatedBranchFrom'];
      summary: Schemas['TrialMergeSummaryChanges'];
      tables: { [key: string]: unknown }[];
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
      table: Schemas['Table'];
      sheetDropped: boolean;
      cellsKept: boolean;
      users: {
        /** @enum {unknown} */
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
    DeleteWorkbooksById: Schemas['DeleteWorkbooksById2'] | Schemas['DeleteWorkbooksById3'];
    DeleteWorkbooksById2: {
      id: string;
      /** @constant */
      state: 'archived';
      archivedAt: string;
      confirm: string;
    };
    DeleteWorkbooksById3: {
      id: string;
      /** @constant */
      state: 'removed';
      receipt?: {
        leafHash: string;
        opening: string;
      };
    };
    DeleteWorkbooksValues: {
      ref: Schemas['Position'];
      cancelled: boolean;
    };
    DiffPage: {
      from: Schemas['GetWorkbooksTablesRef'];
      to: Schemas['GetWorkbooksTablesRef'];
      /** @enum {unknown} */
      relation: 'same' | 'ahead' | 'behind' | 'diverged';
      base: Schemas['CreatedBranchFrom'];
      summary: Schemas['TrialMergeSummaryChanges'];
      total: number;
      offset: number;
      limit: number;
      structure: { [key: string]: unknown }[];
      cells: {
        sheet: string;
        a1: {
          from: string | null;
          to: string | null;
        };
        row: string;
        col: string;
        /** @enum {unknown} */
        change: 'added' | 'modified' | 'removed';
        before: Schemas['DiffPageCellsBefore'];
        after: Schemas['DiffPageCellsBefore'];
        /** @enum {unknown} */
        cause: 'edited' | 'moved';
        by?: string;
        actor?: string;
        writer?: string;
        at?: string;
        merge?: Schemas['DiffPageCellsMerge'];
      }[];
      collapsed: {
        sheet: string;
        range: string;
        /** @enum {unknown} */
        change: 'added' | 'modified' | 'removed';
        formula: string | null;
        count: number;
        before: unknown;
        after: unknown;
        /** @enum {unknown} */
        cause?: 'edited' | 'moved';
        by?: string;
        actor?: string;
        writer?: string;
        at?: string;
        merge?: Schemas['DiffPageCellsMerge'];
      }[];
      values?: {
        sheet: string;
        a1: string;
        before: unknown;
        after: unknown;
        /** @enum {unknown} */
        cause: 'edited' | 'moved' | 'recalculated';
        beforeText?: string;
        afterText?: string;
        via?: string[];
      }[];
      formats: { [key: string]: unknown }[];
      names: { [key: string]: unknown }[];
      tables: { [key: string]: unknown }[];
      records: { [key: string]: unknown }[];
      /** @description Of rows, columns and sheets */
      properties: { [key: string]: unknown }[];
      settings: { [key: string]: unknown }[];
      styles: { [key: string]: unknown }[];
      policy: { [key: string]: unknown }[];
      next: string | null;
    };
    DiffPageCellsBefore: {
      input: Schemas['Value2'];
      array?: string;
      /** @constant */
      legacy?: true;
      value?: unknown;
      text?: string;
    } | null;
    DiffPageCellsMerge: {
      id: string;
      by?: string;
      actor?: string;
      writer?: string;
      at?: string;
    };
    Edge: {
      ref: Schemas['Position'];
      sheet: string;
      cell: string;
      filled: boolean;
    };
    EvalStats: {
      ref: Schemas['Position'];
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
        /** @enum {unknown} */
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
      ceiling: Schemas['PostWorkbooksEvalCeiling2'];
      headroom: {
        cells: number | null;
        grid: number | null;
      };
      computation: {
        /** @enum {unknown} */
        state: 'none' | 'queued' | 'computing' | 'computed' | 'failed';
        done: number;
        total: number;
      } | null;
    };
    Expect: { [key: string]: Schemas['ExpectedInput'] };
    ExpectedInput: Schemas['Input'] | { hash: string };
    Fill:
      | Schemas['Color']
      | {
          /** @enum {unknown} */
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
          fg?: Schemas['Color'];
          bg?: Schemas['Color'];
        };
    FilterClear: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'filter.clear';
      payload: { sheet?: string };
    };
    FilterSet: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'filter.set';
      payload: {
        sheet?: string;
        range: string;
        criteria?: {
          column: Schemas['ColsInsertPayloadBefore'];
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
            /** @enum {unknown} */
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
            /** @enum {unknown} */
            of: 'fill' | 'font';
            color?: Schemas['CfSetPayloadRulePointsColor'];
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
      /** @enum {unknown} */
      severity: 'warn' | 'block';
      /** @enum {unknown} */
      status: 'open' | 'accepted' | 'noted';
      text: string;
      path: { [key: string]: unknown };
      value?: {
        base: unknown;
        ours: unknown;
        theirs: unknown;
        merged: unknown;
      };
      becauseOf?: string[];
      choices: string[];
      resolution: Schemas['MadeChoice'] | null;
      previousResolution?: Schemas['MadeChoice'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'format.set';
      payload: {
        sheet?: string;
        range: string;
        style: Schemas['CellStyleChanges'];
        replace?: boolean;
      };
    };
    Formats: {
      ref: Schemas['GetWorkbooksTablesRef'];
      styles: Schemas['CellStyleChanges'][];
      namedStyles: { [key: string]: Schemas['CellStyleChanges'] };
      themeColors: string[];
      slices: {
        sheet: string;
        range: string;
        properties: Schemas['BranchStateSheetsProperties'];
        cells: number[][];
        rows: Schemas['FormatsSlicesRows'][];
        columns: Schemas['FormatsSlicesRows'][];
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
      ref: Schemas['Position'];
      /** @enum {unknown} */
      lens: 'value' | 'formula' | 'input';
      next: string | null;
      cells: Schemas['ValuesPageValues'][];
    };
    GetAgentAuthMe: {
      /** @constant */
      ok: true;
      data: {
        user_id: string;
        scopes: string[];
      } & { [key: string]: unknown };
    };
    GetHealth: {
      /** @constant */
      status: 'ok';
      version: string;
      uptime_s: number;
    };
    GetReady: {
      /** @enum {unknown} */
      status: 'ok' | 'degraded' | 'draining' | 'unavailable';
      dependencies: { [key: string]: 'ok' | 'unavailable' };
      damagedObjects?: number;
      store?: string;
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
      workbooks: Schemas['ListedWorkbook'][] | Schemas['RegisteredWorkbook'][];
    };
    GetWorkbooksBranches: { branches: Schemas['ListedBranch'][] };
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
      matches: Schemas['MatchSummary'][];
    };
    GetWorkbooksMerges: {
      total: number;
      offset: number;
      limit: number;
      merges: Schemas['ListedMerge'][];
    };
    GetWorkbooksMergesConflicts: {
      revision: number;
      total: number;
      open: number;
      offset: number;
      limit: number;
      conflicts: Schemas['Conflict'][];
      violations: Schemas['Finding'][];
      effects: Schemas['Finding'][];
    };
    GetWorkbooksMergesDiff: Schemas['DiffPage'] | Schemas['DaffTables'];
    GetWorkbooksProofs: {
      log: {
        origin: string;
        size: number;
      };
      proofs: {
        name: string;
        /** @enum {unknown} */
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
    GetWorkbooksReconciliation: { links: Schemas['ReconciliationLink'][] };
    GetWorkbooksSlice: Schemas['GetWorkbooksSlice2'] | Schemas['GetWorkbooksSlice3'];
    GetWorkbooksSlice2: {
      ref: Schemas['Position'];
      /** @enum {unknown} */
      lens: 'value' | 'formula' | 'input' | 'formatted';
      sheet: string;
      range: string;
      rows: Schemas['Value'][][];
      flags?: {
        cell: string;
        array?: string;
        /** @constant */
        legacy?: true;
      }[];
    };
    GetWorkbooksSlice3: {
      ref: Schemas['Position'];
      /** @enum {unknown} */
      lens: 'value' | 'formula' | 'input' | 'formatted';
      slices: {
        sheet: string;
        range: string;
        rows: Schemas['Value'][][];
        flags?: {
          cell: string;
          array?: string;
          /** @constant */
          legacy?: true;
        }[];
      }[];
    };
    GetWorkbooksTables: {
      ref: Schemas['GetWorkbooksTablesRef'];
      tables: Schemas['Table'][];
    };
    GetWorkbooksTablesById: {
      ref: Schemas['GetWorkbooksTablesRef'];
      table: Schemas['Table'];
    };
    GetWorkbooksTablesChanges: Schemas['TableChangesPage'] | Schemas['TableChangesStat'];
    GetWorkbooksTablesRef: {
      branch: string;
      seq: number;
    };
    GetWorkbooksTablesRows: Schemas['RowsPage'] | Schemas['RowGroups'];
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
        kind: Schemas['SubmissionResultResultsKind'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      data?: { [key: string]: unknown };
      request_id: string;
    } & { [key: string]: unknown };
    ImageDelete: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'image.delete';
      payload: Schemas['ValidationDeletePayload'];
    };
    ImageSet: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'image.set';
      payload: Schemas['ImageSetPayload'];
    };
    ImageSetPayload: {
      id?: string;
      sheet?: string;
      anchor: string;
      spec: { [key: string]: unknown };
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
      from: Schemas['CreatedBranchFrom'];
      vector: { [key: string]: number };
      description: string | null;
      createdBy: string | null;
      createdAt: string;
      ttlDays: number | null;
      /** @enum {unknown} */
      state: 'active' | 'archived';
      ahead: {
        ops: number;
        cells: number | null;
      };
      behind: { ops: number };
      mergedInto: string[];
      stale: boolean;
      protected: boolean;
      writable: boolean;
      updatedAt: string;
    };
    ListedMerge: {
      id: string;
      title: string;
      description: string;
      /** @enum {unknown} */
      state: 'computing' | 'conflicted' | 'review' | 'approved' | 'outdated' | 'merged' | 'aborted';
      source: Schemas['GetWorkbooksTablesRef'];
      target: Schemas['GetWorkbooksTablesRef'];
      base: Schemas['TrialMergeBase'];
      /** @enum {unknown} */
      strategy: 'none' | 'ours' | 'theirs';
      squash: boolean;
      /** @enum {unknown} */
      granularity?: 'cell' | 'row' | 'block' | 'sheet' | 'table';
      /** @enum {unknown} */
      grouping?: 'auto' | 'sheet' | 'table' | 'writer' | 'op-group';
      revertOf?: string;
      createdBy: string;
      createdAt: string;
      revision: number;
      result: Schemas['TrialMergeResult'];
    };
    ListedWorkbook: {
      id: string;
      name: string;
      namespace: string;
      /** @enum {unknown} */
      state: 'active' | 'archived';
      archived: boolean;
      archivedAt: string | null;
      updatedAt: string;
      ownerId?: string;
      head: number;
      /** @enum {unknown} */
      role?: 'owner' | 'editor' | 'reviewer' | 'viewer';
      cells?: number;
      viaAgent?: string;
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
        /** @enum {unknown} */
        why: 'adopted' | 'begun';
        origin: string;
        tree_size: number;
        url: string;
        ended_at: string;
      }[];
      damaged: string[];
    };
    MadeChoice: {
      choice: string;
      input?: unknown;
      prefer?: string;
      side?: string;
      newKey?: unknown;
      by: string;
      at: string;
    };
    MatchOptions: { [key: string]: unknown };
    MatchPage: {
      matchId: string;
      /** @enum {unknown} */
      status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
      phase: ('reading' | 'embedding' | 'scoring' | 'verifying' | 'assigning' | 'writing') | null;
      ref: Schemas['GetWorkbooksTablesRef'];
      left: Schemas['MatchSummaryLeft'];
      right: Schemas['MatchSummaryLeft'];
      opts: Schemas['MatchSummaryOpts'];
      algo: string;
      reused: boolean;
      progress: number;
      progressDetail: {
        done: number;
        total: number;
      };
      counts: Schemas['MatchSummaryCounts'];
      createdBy: string;
      createdAt: string;
      startedAt: string | null;
      finishedAt: string | null;
      error: Schemas['MatchSummaryError'];
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
        /** @enum {unknown} */
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
        /** @enum {unknown} */
        kind: 'local' | 'openai' | 'ollama' | 'tei' | 'http' | 'chat';
        /** @enum {unknown} */
        use: 'embeddings' | 'verification' | 'both';
        model: string | null;
        dims: number[];
        defaultDim: number | null;
      }[];
    };
    MatchSummary: {
      matchId: string;
      /** @enum {unknown} */
      status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
      phase: ('reading' | 'embedding' | 'scoring' | 'verifying' | 'assigning' | 'writing') | null;
      ref: Schemas['GetWorkbooksTablesRef'];
      left: Schemas['MatchSummaryLeft'];
      right: Schemas['MatchSummaryLeft'];
      opts: Schemas['MatchSummaryOpts'];
      algo: string;
      reused: boolean;
      progress: number;
      progressDetail: {
        done: number;
        total: number;
      };
      counts: Schemas['MatchSummaryCounts'];
      createdBy: string;
      createdAt: string;
      startedAt: string | null;
      finishedAt: string | null;
      error: Schemas['MatchSummaryError'];
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
      hint?: string;
    } | null;
    MatchSummaryLeft: {
      tableId: string;
      column?: string;
      columns?: (
        | string
        | {
            column: string;
            weight?: number;
          }
      )[];
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
      /** @enum {unknown} */
      assignment: 'many-to-one' | 'one-to-one' | 'many-to-many';
      topK: number;
      minConfidence: number;
      /** @enum {unknown} */
      normalise: 'default' | 'none';
      aliases: {
        tableId: string;
        from: string;
        to: string;
      } | null;
      /** @enum {unknown} */
      include: 'accepted' | 'all';
    };
    McpAnswer: Schemas['McpAnswer2'] | Schemas['McpAnswer2'][];
    McpAnswer2: {
      /** @constant */
      jsonrpc: '2.0';
    } & { [key: string]: unknown };
    McpMessage: unknown[] | { [key: string]: unknown };
    Merge: {
      id: string;
      title: string;
      description: string;
      /** @enum {unknown} */
      state: 'computing' | 'conflicted' | 'review' | 'approved' | 'outdated' | 'merged' | 'aborted';
      source: Schemas['GetWorkbooksTablesRef'];
      target: Schemas['GetWorkbooksTablesRef'];
      base: Schemas['TrialMergeBase'];
      /** @enum {unknown} */
      strategy: 'none' | 'ours' | 'theirs';
      squash: boolean;
      /** @enum {unknown} */
      granularity?: 'cell' | 'row' | 'block' | 'sheet' | 'table';
      /** @enum {unknown} */
      grouping?: 'auto' | 'sheet' | 'table' | 'writer' | 'op-group';
      revertOf?: string;
      createdBy: string;
      createdAt: string;
      revision: number;
      result: Schemas['TrialMergeResult'];
      fastForward?: boolean;
      summary?: Schemas['TrialMergeSummary'];
      policy?: Schemas['TrialMergePolicy'];
      approvals?: Schemas['TrialMergeApprovals'][];
      units?: Schemas['Unit'][];
      refusal?: string;
      retry_after?: number;
      digest?: string;
      stateHash?: string;
      timeline: Schemas['TrialMergeTimeline'][];
      links: {
        self: string;
        conflicts: string;
        diff: string;
      };
    };
    NameDelete: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'name.delete';
      payload: {
        name: string;
        scope?: string;
      };
    };
    NameRename: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'name.rename';
      payload: {
        from: string;
        to: string;
        scope?: string;
      };
    };
    NameSet: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'note.delete';
      payload: {
        sheet?: string;
        a1: string;
      };
    };
    NoteSet: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      kind: Schemas['SubmissionResultResultsKind'];
      opId: string | null;
      merge: Schemas['BlamePageCellsMerge'];
    };
    PatchWorkbooksBranchesTablesById: {
      branch: string;
      seq: number;
      ref: string;
      firstSeq: number;
      table: Schemas['Table'];
    };
    PatchWorkbooksById: { name?: string };
    PatchWorkbooksMatchesRows: {
      decisions: {
        leftKey: string | number | boolean;
        rightKey: string | number | boolean;
        /** @enum {unknown} */
        decision: 'accept' | 'reject' | 'review';
      }[];
    };
    Policy: {
      /** @default [] */
      protectedBranches?: {
        pattern: string;
        /**
         * @default deny
         * @enum {unknown}
         */
        directWrites?: 'deny' | 'allow' | 'owners';
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
          match: {
            sheet?: string;
            range?: string;
            table?: string;
          };
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
         * @enum {unknown}
         */
        strategy?: 'none' | 'ours' | 'theirs';
        /**
         * @default cell
         * @enum {unknown}
         */
        conflictGranularity?: 'cell' | 'row' | 'block' | 'sheet' | 'table';
        /**
         * @default conflict
         * @enum {unknown}
         */
        deleteVsEdit?: 'conflict' | 'delete' | 'keep';
        /**
         * @default ignore
         * @enum {unknown}
         */
        deleteVsFormat?: 'ignore' | 'warn' | 'conflict';
        /**
         * @default merge
         * @enum {unknown}
         */
        insertInsertSameKey?: 'merge' | 'conflict';
        /**
         * @default warn
         * @enum {unknown}
         */
        semanticEffects?: 'ignore' | 'warn' | 'block';
        /**
         * @default block
         * @enum {unknown}
         */
        newErrors?: 'ignore' | 'warn' | 'block';
        /**
         * @default block
         * @enum {unknown}
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
         * @enum {unknown}
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
        /**
         * @default deny
         * @enum {unknown}
         */
        directWrites: 'deny' | 'allow' | 'owners';
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
          match: {
            sheet?: string;
            range?: string;
            table?: string;
          };
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
         * @enum {unknown}
         */
        strategy: 'none' | 'ours' | 'theirs';
        /**
         * @default cell
         * @enum {unknown}
         */
        conflictGranularity: 'cell' | 'row' | 'block' | 'sheet' | 'table';
        /**
         * @default conflict
         * @enum {unknown}
         */
        deleteVsEdit: 'conflict' | 'delete' | 'keep';
        /**
         * @default ignore
         * @enum {unknown}
         */
        deleteVsFormat: 'ignore' | 'warn' | 'conflict';
        /**
         * @default merge
         * @enum {unknown}
         */
        insertInsertSameKey: 'merge' | 'conflict';
        /**
         * @default warn
         * @enum {unknown}
         */
        semanticEffects: 'ignore' | 'warn' | 'block';
        /**
         * @default block
         * @enum {unknown}
         */
        newErrors: 'ignore' | 'warn' | 'block';
        /**
         * @default block
         * @enum {unknown}
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
         * @enum {unknown}
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
    Position: Schemas['GetWorkbooksTablesRef'];
    PostAgentAuth: {
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
    PostAgentAuth2: {
      /** @constant */
      ok: true;
      data: Schemas['Registered'];
    };
    PostAgentAuthClaim: {
      claim_token: string;
      email: string;
      /** @default false */
      link?: boolean;
    };
    PostAgentAuthClaim2: {
      /** @constant */
      ok: true;
      data: Schemas['SentCode'];
    };
    PostAgentAuthClaimComplete: {
      claim_token: string;
      otp: string;
    };
    PostAgentAuthClaimComplete2: {
      /** @constant */
      ok: true;
      data: Schemas['Claimed'];
    };
    PostAgentAuthRevoke: { credential?: string };
    PostAgentAuthRevoke2: {
      /** @constant */
      ok: true;
      data: { revoked: boolean };
    };
    PostAgentAuthRotate: {
      /** @constant */
      ok: true;
      data: {
        credential: string;
        credential_expires: string | null;
      } & { [key: string]: unknown };
    };
    PostOauth2Register: {
      redirect_uris: string[];
      client_name?: string;
      token_endpoint_auth_method?: string;
      grant_types?: string[];
      response_types?: string[];
    };
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
        /** @enum {unknown} */
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
        rows?: Schemas['Input'][][];
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
    PostWorkbooksBranchesFlush: Record<string, unknown>;
    PostWorkbooksBranchesRestore: {
      branch: string;
      /** @constant */
      state: 'active';
    };
    PostWorkbooksBranchesTables: {
      branch: string;
      seq: number;
      ref: string;
      table: Schemas['Table'];
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
      left: Schemas['PostWorkbooksMatchesLeft'];
      right: Schemas['PostWorkbooksMatchesLeft'];
      opts?: Schemas['MatchOptions'];
    };
    PostWorkbooksMatches2: {
      matchId: string;
      poll: string;
    };
    PostWorkbooksMatchesApply: {
      branch: string;
      /**
       * @default table
       * @enum {unknown}
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
    PostWorkbooksMatchesLeft: {
      tableId: string;
      column?: string;
      columns?: (
        | string
        | {
            column: string;
            weight?: number;
          }
      )[];
      blocking?: string[];
    };
    PostWorkbooksMerges: {
      source?: string;
      revertOf?: string;
      /** @default main */
      target?: string;
      title?: string;
      /** @default  */
      description?: string;
      /** @enum {unknown} */
      strategy?: 'none' | 'ours' | 'theirs';
      /** @default false */
      squash?: boolean;
      /** @default false */
      dryRun?: boolean;
      /**
       * @default manual
       * @enum {unknown}
       */
      apply?: 'manual' | 'auto';
      /** @enum {unknown} */
      granularity?: 'cell' | 'row' | 'block' | 'sheet' | 'table';
      /** @enum {unknown} */
      units?: 'auto' | 'sheet' | 'table' | 'writer' | 'op-group';
      idempotencyKey?: string;
    };
    PostWorkbooksMergesAbort: {
      /** @default  */
      reason?: string;
    };
    PostWorkbooksMergesApprove: {
      digest?: string;
      comment?: string;
      /** @default null */
      units?: string[] | null;
      /**
       * @default approve
       * @enum {unknown}
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
        choice: string | null;
        input?: Schemas['Input'];
        /** @enum {unknown} */
        prefer?: 'ours' | 'theirs';
        /** @enum {unknown} */
        side?: 'ours' | 'theirs';
        newKey?: Schemas['Input'];
      }[];
      /** @default [] */
      bulk?: {
        where: {
          /** @enum {unknown} */
          status?: 'open' | 'resolved';
          kind?: string;
          sheet?: string;
          table?: string;
          column?: string;
          unit?: string;
          writer?: string;
        };
        choice: string | null;
        /** @enum {unknown} */
        prefer?: 'ours' | 'theirs';
      }[];
      /** @default false */
      refresh?: boolean;
      comment?: string;
    };
    PostWorkbooksMergesResolve2: {
      revision: number;
      /** @enum {unknown} */
      state: 'computing' | 'conflicted' | 'review' | 'approved' | 'outdated' | 'merged' | 'aborted';
      resolved: number;
      open: number;
      reopened: string[];
      newConflicts: string[];
      newEffects: Schemas['Finding'][] | null;
      digest: string;
    };
    PostWorkbooksTablesReconciliation: {
      /** @default main */
      branch?: string;
      column?: string;
      /** @default 90 */
      days?: number;
    };
    PostWorkbooksTopology: {
      /** @enum {unknown} */
      action?: 'move' | 'release';
      to?: string;
    };
    PostWorkbooksVerify: { branch?: string };
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
      events?: Schemas['PostWorkbooksWebhooksEvents'][];
      secret?: string;
    };
    /** @enum {unknown} */
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
    PostWorkbooksWsTicket: {
      /** @default main */
      branch?: string;
    };
    Problem: {
      type: string;
      title: string;
      status: number;
      code: string;
      detail: string;
      hint?: string;
      errors?: {
        pointer: string;
        code: string;
        message: string;
      }[];
      requestId: string;
    } & { [key: string]: unknown };
    PropsSet: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'props.set';
      payload: {
        title?: string | null;
        description?: string | null;
        labels?: string[] | null;
      };
    };
    ProtectDelete: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'protect.delete';
      payload: Schemas['ValidationDeletePayload'];
    };
    ProtectSet: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'protect.set';
      payload: {
        id?: string;
        sheet?: string;
        ranges?: string[];
        who: string[];
        name?: string;
        by?: string;
        options?: { [key: string]: boolean };
      };
    };
    PutWorkbooksCollaboratorsById: {
      /** @enum {unknown} */
      role: 'editor' | 'reviewer' | 'viewer';
    };
    PutWorkbooksMergesUnits: {
      revision?: number;
      groups?: {
        id: string;
        title?: string;
        members?: Schemas['PutWorkbooksMergesUnitsGroupsMembers'][];
        units?: string[];
        moves?: Schemas['PutWorkbooksMergesUnitsGroupsMembers'][];
        /** @enum {unknown} */
        decision?: 'pending' | 'accept' | 'reject' | 'defer';
        reason?: string;
        requires?: string[];
      }[];
      /** @enum {unknown} */
      grouping?: 'auto' | 'sheet' | 'table' | 'writer' | 'op-group';
    };
    PutWorkbooksMergesUnits2: {
      units: Schemas['Unit'][];
      /** @enum {unknown} */
      state: 'computing' | 'conflicted' | 'review' | 'approved' | 'outdated' | 'merged' | 'aborted';
      revision: number;
      digest: string;
    };
    PutWorkbooksMergesUnitsGroupsMembers:
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
        };
    PutWorkbooksSettings: {
      policy: Schemas['Policy'];
      expectVersion?: number;
      version?: number;
    };
    RangeAutofill: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'range.autofill';
      payload: {
        sheet?: string;
        source: string;
        target: string;
        series?: {
          /** @enum {unknown} */
          type?: 'auto' | 'copy' | 'linear' | 'growth' | 'date';
          step?: number;
          /** @enum {unknown} */
          unit?: 'day' | 'weekday' | 'month' | 'year';
          stop?: number;
        };
      };
    };
    RangeClear: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'range.clear';
      payload: {
        sheet?: string;
        range: string;
        what?: ('values' | 'formats' | 'notes' | 'comments' | 'validation' | 'cf' | 'hyperlinks')[];
      };
    };
    RangeCopy: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'range.delete';
      payload: {
        sheet?: string;
        range: string;
        /** @enum {unknown} */
        shift: 'left' | 'up';
      };
    };
    RangeFill: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'range.fill';
      payload: {
        sheet?: string;
        range: string;
        input: Schemas['Input'];
        fmt?: string;
        /** @constant */
        legacy?: true;
        raw?: boolean;
        parse?: boolean;
      };
    };
    RangeInsert: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'range.insert';
      payload: {
        sheet?: string;
        range: string;
        /** @enum {unknown} */
        shift: 'right' | 'down';
      };
    };
    RangeMove: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'range.set';
      payload: {
        sheet?: string;
        range: string;
        inputs: Schemas['Input'][][];
        fmts?: (string | null)[][];
        /** @constant */
        legacy?: true;
        raw?: boolean;
        parse?: boolean;
      };
    };
    RangeSort: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'range.sort';
      payload: {
        sheet?: string;
        range: string;
        keys?: {
          col: Schemas['ColsInsertPayloadBefore'];
          desc?: boolean;
          /** @enum {unknown} */
          type?: 'auto' | 'number' | 'text';
        }[];
        header?: boolean;
        order?: number[];
      };
    };
    ReconciliationLink: {
      id: string;
      branch: string;
      tableId: string;
      createdBy: string;
      createdAt: string;
      expiresAt: string;
      url?: string;
    };
    RecordsPage: {
      ref: Schemas['Position'];
      total: number;
      offset: number;
      limit: number;
      records: {
        /** @enum {unknown} */
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
        value: { [key: string]: unknown };
      }[];
    };
    Redo: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'redo';
      payload: { of: number | Schemas['UndoPayloadOf'] };
    };
    Registered: {
      claim_token: string;
      credential?: string;
      user_id?: string;
      scopes?: ('read' | 'write' | 'account')[];
      verification_required?: boolean;
      message?: string;
    } & { [key: string]: unknown };
    RegisteredWorkbook: {
      id: string;
      namespace: string;
      name: string;
      address: string;
      path: string;
      /** @enum {unknown} */
      state: 'active' | 'archived';
      archived: boolean;
      archivedAt: string | null;
      createdAt: string;
      ownerId?: string;
    };
    Revert: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      rejected: Schemas['RowCountsRejected'][];
      rejectedCount: number;
    };
    RowCountsRejected: {
      row: number;
      key: Schemas['Value'];
      column: string | null;
      code: string;
      message: string;
    };
    RowGroups: {
      ref: Schemas['GetWorkbooksTablesRef'];
      table: Schemas['RowsPageTable'];
      key: string | null;
      columns: string[];
      total: number;
      errors?: number;
      offset: number;
      limit: number;
      groups: { [key: string]: Schemas['Value'] }[];
    };
    RowWrite: {
      id: string;
      poll: string;
      branch: string;
      table: string;
      /** @enum {unknown} */
      status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
      rows: number;
      bytes: number;
      totalBytes: number;
      result: Schemas['RowsWritten'] | null;
      error: (Schemas['Problem'] & ({ message: string } & { [key: string]: unknown })) | null;
      createdAt: string;
      finishedAt: string | null;
    };
    RowsDelete: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'rows.delete';
      payload:
        | {
            sheet: string;
            from?: number;
            count?: number;
            spans?: Schemas['RowsDeletePayloadSpans'][];
          }
        | {
            table: string;
            keys: (number | string)[];
            /** @enum {unknown} */
            onMissing?: 'error' | 'ignore';
          };
    };
    RowsDeletePayloadSpans: {
      from: number;
      count?: number;
    };
    RowsGroup: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'rows.group';
      payload: {
        sheet: string;
        from?: number;
        count?: number;
        spans?: Schemas['RowsDeletePayloadSpans'][];
        level?: number;
        collapsed?: boolean;
      };
    };
    RowsHide: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'rows.hide';
      payload: {
        sheet: string;
        from?: number;
        count?: number;
        spans?: Schemas['RowsDeletePayloadSpans'][];
        hidden?: boolean;
      };
    };
    RowsImport: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'rows.import';
      payload: Schemas['RowsImportPayload'];
    };
    RowsImportPayload: {
      table: string;
      columns?: string[];
      rows: (Record<string, unknown> | unknown[])[];
      raw?: boolean;
      /** @enum {unknown} */
      onInvalid?: 'reject' | 'skip';
    };
    RowsInsert: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'rows.insert';
      payload: {
        sheet: string;
        before?: number;
        after?: number;
        count?: number;
        /** @enum {unknown} */
        inherit?: 'before' | 'after' | 'none';
      };
    };
    RowsMove: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'rows.move';
      payload: {
        sheet: string;
        from?: number;
        count?: number;
        spans?: Schemas['RowsDeletePayloadSpans'][];
        before: number;
      };
    };
    RowsPage: {
      ref: Schemas['GetWorkbooksTablesRef'];
      table: Schemas['RowsPageTable'];
      key: string | null;
      columns: string[];
      total: number;
      errors?: number;
      offset: number;
      limit: number;
      next: string | null;
      rows:
        | { [key: string]: Schemas['Value'] }[]
        | Schemas['Value'][][]
        | { [key: string]: Schemas['Value'][] };
    };
    RowsPageTable: {
      id: string;
      name: string;
    };
    RowsSize: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'rows.size';
      payload: {
        sheet: string;
        from?: number;
        count?: number;
        spans?: Schemas['RowsDeletePayloadSpans'][];
        px?: number;
        /** @constant */
        auto?: true;
      };
    };
    RowsUpsert: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'rows.upsert';
      payload: Schemas['RowsImportPayload'];
    };
    RowsWrite: {
      /** @enum {unknown} */
      mode?: 'upsert' | 'import' | 'delete';
      columns?: string[];
      raw?: boolean;
      /** @enum {unknown} */
      onInvalid?: 'reject' | 'skip';
      /** @enum {unknown} */
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
      /** @enum {unknown} */
      status: 'applied' | 'partial' | 'duplicate' | 'unchanged';
      firstSeq: number | null;
      lastSeq: number | null;
      requestId?: string;
      operations: number;
      inserted: number;
      updated: number;
      unchanged: number;
      deleted: number;
      rejected: Schemas['RowCountsRejected'][];
      rejectedMore: number;
      refused: {
        rows: [number, number];
        code: string;
        message: string;
        pointer: string;
      }[];
    };
    Scenario: {
      ref: Schemas['Position'];
      formulas: {
        formula: string;
        rows: Schemas['Value'][][];
      }[];
      slices: {
        sheet: string;
        range: string;
        before: Schemas['Value'][][];
        after: Schemas['Value'][][];
      }[];
      changes: {
        cells: Schemas['ChangesCells'][];
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
        input: Schemas['Input'];
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
    } & { [key: string]: unknown };
    Settings: {
      version: number;
      policy: Schemas['PolicyOutput'];
    };
    SettingsSet: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'settings.set';
      payload: {
        path: string;
        value: number | boolean | string | null;
      };
    };
    SheetAdd: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'sheet.delete';
      payload: { sheet: string };
    };
    SheetMove: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'sheet.move';
      payload: {
        sheet: string;
        index: number;
      };
    };
    SheetProps: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'sheet.props';
      payload: {
        sheet: string;
        tabColor?: Schemas['Color'] | null;
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
        nodes: { [key: string]: number };
        byteCount: number;
      };
    };
    StyleDefine: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'style.define';
      payload: {
        id: string;
        style: Schemas['CellStyle'];
      };
    };
    StyleDelete: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'style.delete';
      payload: { id: string };
    };
    Submission: {
      ops: (
        | Schemas['CellsSet']
        | Schemas['RangeSet']
        | Schemas['RangeFill']
        | Schemas['RangeClear']
        | Schemas['RowsInsert']
        | Schemas['RowsDelete']
        | Schemas['RowsMove']
        | Schemas['ColsInsert']
        | Schemas['ColsDelete']
        | Schemas['ColsMove']
        | Schemas['SheetAdd']
        | Schemas['SheetRename']
        | Schemas['SheetDelete']
        | Schemas['SheetMove']
        | Schemas['NameSet']
        | Schemas['NameDelete']
        | Schemas['NameRename']
        | Schemas['NumfmtSet']
        | Schemas['SettingsSet']
        | Schemas['TableCreate']
        | Schemas['FormatSet']
        | Schemas['StyleDefine']
        | Schemas['StyleDelete']
        | Schemas['RowsSize']
        | Schemas['RowsHide']
        | Schemas['RowsGroup']
        | Schemas['ColsSize']
        | Schemas['ColsHide']
        | Schemas['ColsGroup']
        | Schemas['SheetProps']
        | Schemas['PropsSet']
        | Schemas['RangeAutofill']
        | Schemas['RangeMove']
        | Schemas['RangeCopy']
        | Schemas['RangeSort']
        | Schemas['RangeInsert']
        | Schemas['RangeDelete']
        | Schemas['TableDrop']
        | Schemas['TableRename']
        | Schemas['TableColumnAdd']
        | Schemas['TableColumnDrop']
        | Schemas['TableColumnRename']
        | Schemas['TableColumnAlter']
        | Schemas['TableColumnMove']
        | Schemas['TableKeyChange']
        | Schemas['RowsImport']
        | Schemas['RowsUpsert']
        | Schemas['CellmergeAdd']
        | Schemas['CellmergeRemove']
        | Schemas['NoteSet']
        | Schemas['NoteDelete']
        | Schemas['CommentAdd']
        | Schemas['CommentReply']
        | Schemas['CommentEdit']
        | Schemas['CommentResolve']
        | Schemas['CommentDelete']
        | Schemas['ValidationSet']
        | Schemas['ValidationDelete']
        | Schemas['CfSet']
        | Schemas['CfDelete']
        | Schemas['CfMove']
        | Schemas['FilterSet']
        | Schemas['FilterClear']
        | Schemas['ProtectSet']
        | Schemas['ProtectDelete']
        | Schemas['HyperlinkSet']
        | Schemas['ImageSet']
        | Schemas['ImageDelete']
        | Schemas['ChartSet']
        | Schemas['ChartDelete']
        | Schemas['Undo']
        | Schemas['Redo']
        | Schemas['Revert']
      )[];
      writer?: string;
      baseSeq?: number;
      /** @enum {unknown} */
      mode?: 'rebase' | 'strict' | 'atomic';
      group?: string;
      return?: { changes: number };
    };
    SubmissionResult: {
      branch: string;
      /** @enum {unknown} */
      status: 'applied' | 'partial' | 'rejected' | 'duplicate';
      firstSeq: number | null;
      lastSeq: number | null;
      head: number;
      requestId?: string;
      results: {
        id?: string;
        /** @enum {unknown} */
        status: 'applied' | 'rebased' | 'noop' | 'duplicate' | 'rejected';
        seq?: number;
        kind?: Schemas['SubmissionResultResultsKind'];
        payload?: unknown;
        of?: unknown;
        clipped?: string[];
        record?: string;
        comment?: string;
        sheet?: string;
        table?: string;
        rows?: Schemas['RowCounts'];
        error?: {
          code: string;
          message: string;
          hint: string;
          retryable: boolean;
          atSeq?: number;
          pointer?: string;
          limit?: string;
          used?: number;
          max?: number;
          usedHere?: number;
        };
      }[];
      changes?: Schemas['Changes'];
    };
    /** @enum {unknown} */
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
      schema: Schemas['BranchStateTablesSchema'];
      headerRow: boolean;
      totalsRow: boolean;
      style?: Schemas['TableStyle'];
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
            type?: Schemas['TableColumnType'];
            nullable?: boolean;
            default?: Schemas['Input'];
            enum?: Schemas['Input'][];
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
            type?: Schemas['TableColumnType'];
            nullable?: boolean;
            default?: Schemas['Input'];
            enum?: Schemas['Input'][] | null;
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
      from: Schemas['GetWorkbooksTablesRef'];
      to: Schemas['GetWorkbooksTablesRef'];
      table: string;
      name: string;
      key: string | null;
      change: ('added' | 'modified' | 'removed') | null;
      schema: { [key: string]: unknown }[];
      total: number;
      offset: number;
      limit: number;
      next: string | null;
      changes: {
        key: Schemas['Value2'];
        /** @enum {unknown} */
        change: 'added' | 'modified' | 'removed';
        before: { [key: string]: Schemas['Value2'] } | null;
        after: { [key: string]: Schemas['Value2'] } | null;
        columns: string[];
      }[];
    };
    TableChangesStat: {
      from: Schemas['GetWorkbooksTablesRef'];
      to: Schemas['GetWorkbooksTablesRef'];
      table: string;
      name: string;
      key: string | null;
      change: ('added' | 'modified' | 'removed') | null;
      schema: { [key: string]: unknown }[];
      total: number;
      added: number;
      modified: number;
      removed: number;
    };
    TableColumn: {
      name: string;
      type?: Schemas['TableColumnType'];
      nullable?: boolean;
      default?: Schemas['Input'];
      enum?: Schemas['Input'][];
      formula?: string;
    };
    TableColumnAdd: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'table.column.add';
      payload: {
        table: string;
        column: string;
        type?: Schemas['TableColumnType'];
        nullable?: boolean;
        default?: Schemas['Input'];
        enum?: Schemas['Input'][];
        formula?: string;
        before?: string;
        after?: string;
      };
    };
    TableColumnAlter: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'table.column.alter';
      payload: {
        table: string;
        column: string;
        type?: Schemas['TableColumnType'];
        nullable?: boolean;
        default?: Schemas['Input'];
        enum?: Schemas['Input'][] | null;
        formula?: string | null;
      };
    };
    TableColumnDrop: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'table.column.drop';
      payload: {
        table: string;
        column: string;
      };
    };
    TableColumnMove: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'table.column.rename';
      payload: {
        table: string;
        column: string;
        name: string;
      };
    };
    /** @enum {unknown} */
    TableColumnType: 'any' | 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime';
    TableCreate: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'table.create';
      payload: {
        name: string;
        sheetRange?: string;
        keyColumn?: string;
        schema?: Schemas['TableCreatePayloadSchema'];
        headerRow?: boolean;
        totalsRow?: boolean;
        style?: Schemas['TableStyle'];
      };
    };
    TableCreatePayloadSchema: { columns: Schemas['TableColumn'][] };
    TableCreation: {
      name: string;
      sheetRange?: string;
      keyColumn?: string;
      schema?:
        | Schemas['TableCreatePayloadSchema']
        | {
            [key: string]:
              | Schemas['TableColumnType']
              | {
                  type?: Schemas['TableColumnType'];
                  nullable?: boolean;
                  default?: Schemas['Input'];
                  enum?: Schemas['Input'][];
                  formula?: string;
                };
          };
      headerRow?: boolean;
      totalsRow?: boolean;
      style?: Schemas['TableStyle'];
      writer?: string;
      id?: string;
    };
    TableDrop: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'table.drop';
      payload: {
        table: string;
        keepCells?: boolean;
      };
    };
    TableKeyChange: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'table.key.change';
      payload: {
        table: string;
        keyColumn: string;
      };
    };
    TableRename: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'table.rename';
      payload: {
        table: string;
        name: string;
      };
    };
    TableStyle: {
      name?: string;
      firstColumn?: boolean;
      lastColumn?: boolean;
      rowStripes?: boolean;
      columnStripes?: boolean;
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
        /** @enum {unknown} */
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
        /** @enum {unknown} */
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
      /** @enum {unknown} */
      state: 'computing' | 'conflicted' | 'review' | 'approved' | 'outdated' | 'merged' | 'aborted';
      source: Schemas['GetWorkbooksTablesRef'];
      target: Schemas['GetWorkbooksTablesRef'];
      base: Schemas['TrialMergeBase'];
      /** @enum {unknown} */
      strategy: 'none' | 'ours' | 'theirs';
      squash: boolean;
      /** @enum {unknown} */
      granularity?: 'cell' | 'row' | 'block' | 'sheet' | 'table';
      /** @enum {unknown} */
      grouping?: 'auto' | 'sheet' | 'table' | 'writer' | 'op-group';
      revertOf?: string;
      createdBy: string;
      createdAt: string;
      revision: number;
      result: Schemas['TrialMergeResult'];
      fastForward?: boolean;
      summary?: Schemas['TrialMergeSummary'];
      policy?: Schemas['TrialMergePolicy'];
      approvals?: Schemas['TrialMergeApprovals'][];
      units?: Schemas['Unit'][];
      refusal?: string;
      retry_after?: number;
      digest?: string;
      stateHash?: string;
      timeline: Schemas['TrialMergeTimeline'][];
    };
    TrialMergeApprovals: {
      by: string;
      at: string;
      /** @enum {unknown} */
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
        match: { [key: string]: unknown };
        approvers: string[];
        approved: boolean;
      }[];
    };
    TrialMergeResult: {
      branch: string;
      seq: number;
      stateHash: string;
      vector: { [key: string]: number };
      leafHash: string | null;
      tlogIndex: number | null;
    } | null;
    TrialMergeSummary: {
      changes: Schemas['TrialMergeSummaryChanges'];
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
    TrialMergeSummaryChanges: {
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
    TrialMergeTimeline: {
      at: string;
      actor: string;
      by: string;
      event: string;
      detail?: string;
    };
    Undo: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'undo';
      payload: { of: number | string | Schemas['UndoPayloadOf'] };
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
      /** @enum {unknown} */
      decision: 'pending' | 'accept' | 'reject' | 'defer';
      reason?: string;
      requires: string[];
      changes: number;
      conflicts: string[];
      moreConflicts?: number;
    };
    Usage: {
      userId: string;
      /** @enum {unknown} */
      plan: 'anonymous' | 'standard';
      period: {
        from: string;
        to: string;
      };
      usage: Schemas['UsageUsage'];
      days: {
        date: string;
        operations: number;
      }[];
      caps: {
        workbooks: Schemas['UsageCapsWorkbooks'];
        operationsPerMonth: Schemas['UsageCapsWorkbooks'];
        storageBytes: Schemas['UsageCapsWorkbooks'];
        cells?: Schemas['UsageCapsWorkbooks'];
        readsPerMinute: number;
        writesPerMinute: number;
      };
      account?: {
        usage: Schemas['UsageUsage'];
        members: {
          userId: string;
          name: string;
          /** @enum {unknown} */
          relation: 'own' | 'linked';
          usage: Schemas['UsageUsage'];
        }[];
      };
    };
    UsageCapsWorkbooks: {
      limit: number;
      used: number;
      remaining: number;
    };
    UsageUsage: {
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
    ValidationDelete: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
      /** @constant */
      kind: 'validation.delete';
      payload: Schemas['ValidationDeletePayload'];
    };
    ValidationDeletePayload: { id: string };
    ValidationSet: {
      id?: Schemas['OperationId'];
      expect?: Schemas['Expect'];
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
              /** @enum {unknown} */
              type: 'whole' | 'decimal' | 'date' | 'time' | 'textLength';
              /** @enum {unknown} */
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
        /** @enum {unknown} */
        onInvalid?: 'reject' | 'warn' | 'inform' | 'ignore';
        allowBlank?: boolean;
        prompt?: Schemas['ValidationSetPayloadPrompt'];
        error?: Schemas['ValidationSetPayloadPrompt'];
      };
    };
    ValidationSetPayloadPrompt: {
      title?: string;
      text?: string;
    };
    Value: Schemas['Value2'];
    Value2: number | string | boolean | null | { error: string };
    ValuesPage: {
      ref: Schemas['Position'];
      total: number;
      offset: number;
      limit: number;
      values: Schemas['ValuesPageValues'][];
    };
    ValuesPageValues: {
      sheet: string;
      cell: string;
      value: Schemas['Value'];
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
        /** @enum {unknown} */
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
      events: Schemas['PostWorkbooksWebhooksEvents'][];
      createdBy: string;
      createdAt: string;
      disabledAt: string | null;
      disabledBecause: string | null;
    };
    WebhookDelivery: {
      id: string;
      type: Schemas['PostWorkbooksWebhooksEvents'];
      /** @enum {unknown} */
      state: 'waiting' | 'delivered' | 'failed';
      attempts: number;
      madeAt: string;
      at: string;
      lastStatus: number | null;
      lastError: string | null;
    };
    WebhookReplay: {
      replayed: number;
      webhook: Schemas['Webhook'];
    };
    WebhookWithDeliveries: {
      id: string;
      url: string;
      events: Schemas['PostWorkbooksWebhooksEvents'][];
      createdBy: string;
      createdAt: string;
      disabledAt: string | null;
      disabledBecause: string | null;
      deliveries: Schemas['WebhookDelivery'][];
    };
    Webhooks: { webhooks: Schemas['Webhook'][] };
    WebsocketTicket: {
      ticket: string;
      expires_in: number;
    };
    Workbook: {
      id: string;
      name: string;
      namespace: string;
      /** @enum {unknown} */
      state: 'active' | 'archived';
      archived: boolean;
      archivedAt: string | null;
      updatedAt: string;
      ownerId?: string;
      head: number;
      /** @enum {unknown} */
      role?: 'owner' | 'editor' | 'reviewer' | 'viewer';
      cells?: number;
      viaAgent?: string;
      branch: string;
      createdAt: string;
    };
  };
  responses: {
    AllOfThem: { content: { 'application/json': Schemas['Collaborators'] } };
    Failure: {
      headers: {
        'WWW-Authenticate'?: string;
        [name: string]: unknown;
      };
      content: { 'application/problem+json': Schemas['Problem'] };
    };
    Failure2: { content: { 'application/problem+json': Schemas['Problem'] } };
    Failure3: { content: { 'application/json': Schemas['IdentityFailure'] } };
    Failure4: {
      headers: {
        'WWW-Authenticate'?: string;
        [name: string]: unknown;
      };
      content: { 'application/json': Schemas['IdentityFailure'] };
    };
    ItsBytes: { content: { 'application/octet-stream': unknown } };
    Kept: { content: { 'application/json': Schemas['Merge'] } };
    TheDifferences: {
      content: {
        'application/json': Schemas['GetWorkbooksMergesDiff'];
        'application/x-ndjson': unknown;
        'text/csv': unknown;
        'text/x-diff': unknown;
      };
    };
    TheMatch: { content: { 'application/json': Schemas['MatchSummary'] } };
    TheMerge: { content: { 'application/json': Schemas['Merge'] } };
    TheValuesAreBeingComputed: { content: { 'application/json': Schemas['GetWorkbooksValues'] } };
    TheWorkbook: { content: { 'application/json': Schemas['Workbook'] } };
    TheWrite: { content: { 'application/json': Schemas['RowWrite'] } };
  };
  parameters: {
    Branch: string;
    Branch2: string;
    Consistency: 'strong' | 'local';
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
        sheet?: string;
        cell?: string;
        limit?: Parameters['Limit'];
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['HistoryPage'];
          'application/x-ndjson': unknown;
        };
      };
    };
  };
  postWorkbooksBranchesOps: {
    parameters: {
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
      };
    };
    requestBody: { content: { 'application/json': Schemas['Submission'] } };
    responses: {
      200: { content: { 'application/json': Schemas['SubmissionResult'] } };
    };
  };
  getWorkbooksBranchesState: {
    parameters: {
      query?: {
        ref?: string;
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
      };
    };
    responses: {
      200: { content: { 'application/json': Schemas['BranchState'] } };
    };
  };
  postWorkbooksBranchesFlush: {
    parameters: {
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
      };
    };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksBranchesFlush'] } };
    responses: {
      200: { content: { 'application/json': Schemas['Flushed'] } };
    };
  };
  postWorkbooksBranchesCommit: {
    parameters: {
      query?: { wait?: 'published' };
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
      };
    };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksBranchesCommit'] } };
    responses: {
      201: { content: { 'application/json': Schemas['Commit'] } };
    };
  };
  postWorkbooksBranchesCheckpoint: {
    parameters: {
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
      };
    };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksBranchesFlush'] } };
    responses: {
      200: { content: { 'application/json': Schemas['Snapshot'] } };
    };
  };
  getWorkbooksCommits: {
    parameters: {
      query?: {
        offset?: Parameters['Offset'];
        limit?: Parameters['Limit2'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['GetWorkbooksCommits'];
          'application/x-ndjson': unknown;
        };
      };
    };
  };
  getWorkbooksBranches: {
    parameters: {
      query?: { include?: 'archived' };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['GetWorkbooksBranches'];
          'application/x-ndjson': unknown;
        };
      };
    };
  };
  postWorkbooksBranches: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody: { content: { 'application/json': Schemas['PostWorkbooksBranches'] } };
    responses: {
      201: { content: { 'application/json': Schemas['CreatedBranch'] } };
    };
  };
  deleteWorkbooksBranchesById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch2'];
      };
    };
    responses: {
      200: { content: { 'application/json': Schemas['DeleteWorkbooksBranchesById'] } };
    };
  };
  postWorkbooksBranchesRestore: {
    parameters: {
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch2'];
      };
    };
    responses: {
      200: { content: { 'application/json': Schemas['PostWorkbooksBranchesRestore'] } };
    };
  };
  getWorkbooksMerges: {
    parameters: {
      query?: {
        offset?: Parameters['Offset'];
        limit?: Parameters['Limit2'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['GetWorkbooksMerges'];
          'application/x-ndjson': unknown;
        };
      };
    };
  };
  postWorkbooksMerges: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody: { content: { 'application/json': Schemas['PostWorkbooksMerges'] } };
    responses: {
      200: { content: { 'application/json': Schemas['TrialMerge'] } };
      201: components['responses']['TheMerge'];
      202: components['responses']['Kept'];
    };
  };
  getWorkbooksMergesById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    responses: {
      200: components['responses']['TheMerge'];
      202: components['responses']['Kept'];
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
        offset?: Parameters['Offset'];
        limit?: number;
      };
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['GetWorkbooksMergesConflicts'];
          'application/x-ndjson': unknown;
        };
      };
    };
  };
  postWorkbooksMergesResolve: {
    parameters: {
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    requestBody: { content: { 'application/json': Schemas['PostWorkbooksMergesResolve'] } };
    responses: {
      200: { content: { 'application/json': Schemas['PostWorkbooksMergesResolve2'] } };
    };
  };
  postWorkbooksMergesApprove: {
    parameters: {
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksMergesApprove'] } };
    responses: {
      200: components['responses']['TheMerge'];
      202: components['responses']['Kept'];
    };
  };
  postWorkbooksMergesAbort: {
    parameters: {
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksMergesAbort'] } };
    responses: { 200: components['responses']['TheMerge'] };
  };
  getWorkbooksMergesDiff: {
    parameters: {
      query?: {
        values?: Parameters['Values'];
        sheet?: Parameters['Sheet'];
        kinds?: Parameters['Kinds'];
        format?: Parameters['Format'];
        offset?: Parameters['Offset'];
        limit?: Parameters['Limit3'];
        unit?: string;
      };
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    responses: { 200: components['responses']['TheDifferences'] };
  };
  putWorkbooksMergesUnits: {
    parameters: {
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    requestBody: { content: { 'application/json': Schemas['PutWorkbooksMergesUnits'] } };
    responses: {
      200: { content: { 'application/json': Schemas['PutWorkbooksMergesUnits2'] } };
    };
  };
  getWorkbooks: {
    parameters: {
      query?: {
        include?: 'archived';
        source?: 'pg';
        offset?: Parameters['Offset'];
        limit?: Parameters['Limit2'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['GetWorkbooks'];
          'application/x-ndjson': unknown;
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
        'application/json': Schemas['PostWorkbooks'];
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': unknown;
        'application/vnd.ms-excel.sheet.macroenabled.12': unknown;
        'text/csv': unknown;
        'application/octet-stream': unknown;
        'application/vnd.ms-excel': unknown;
      };
    };
    responses: {
      201: { content: { 'application/json': Schemas['CreatedWorkbook'] } };
    };
  };
  getWorkbooksById: {
    parameters: { path: { id: Parameters['Id'] } };
    responses: { 200: components['responses']['TheWorkbook'] };
  };
  deleteWorkbooksById: {
    parameters: {
      query?: {
        purge?: 'true' | 'false';
        confirm?: string;
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: { content: { 'application/json': Schemas['DeleteWorkbooksById'] } };
    };
  };
  patchWorkbooksById: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody: { content: { 'application/json': Schemas['PatchWorkbooksById'] } };
    responses: { 200: components['responses']['TheWorkbook'] };
  };
  getWorkbooksCollaborators: {
    parameters: { path: { id: Parameters['Id'] } };
    responses: { 200: components['responses']['AllOfThem'] };
  };
  putWorkbooksCollaboratorsById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        user: Parameters['User'];
      };
    };
    requestBody: { content: { 'application/json': Schemas['PutWorkbooksCollaboratorsById'] } };
    responses: { 200: components['responses']['AllOfThem'] };
  };
  deleteWorkbooksCollaboratorsById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        user: Parameters['User'];
      };
    };
    responses: { 200: components['responses']['AllOfThem'] };
  };
  getWorkbooksSlice: {
    parameters: {
      query: {
        ref?: Parameters['Ref'];
        range: Parameters['Range'];
        lens?: 'value' | 'formula' | 'input' | 'formatted';
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: { content: { 'application/json': Schemas['GetWorkbooksSlice'] } };
    };
  };
  getWorkbooksEvalStats: {
    parameters: {
      query?: {
        ref?: Parameters['Ref'];
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: { content: { 'application/json': Schemas['EvalStats'] } };
    };
  };
  postWorkbooksEvalCeiling: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody: { content: { 'application/json': Schemas['PostWorkbooksEvalCeiling'] } };
    responses: {
      200: { content: { 'application/json': Schemas['PostWorkbooksEvalCeiling2'] } };
    };
  };
  getWorkbooksBranchesExport: {
    parameters: {
      query?: {
        format?: 'json' | 'xlsx' | 'csv' | 'ndjson';
        sheet?: string;
        escape?: 'excel' | 'none';
        as?: 'value' | 'shown';
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
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
        ref?: Parameters['Ref'];
        offset?: Parameters['Offset'];
        limit?: number;
        whole?: 'true' | 'false';
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['ValuesPage'];
          'application/x-ndjson': unknown;
          'application/vnd.quire.columns+msgpack': unknown;
        };
      };
      202: components['responses']['TheValuesAreBeingComputed'];
    };
  };
  deleteWorkbooksValues: {
    parameters: {
      query?: { ref?: Parameters['Ref'] };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: { content: { 'application/json': Schemas['DeleteWorkbooksValues'] } };
    };
  };
  getWorkbooksFind: {
    parameters: {
      query: {
        q: string;
        ref?: Parameters['Ref'];
        sheet?: string;
        lens?: 'value' | 'formula' | 'input';
        match?: 'contains' | 'whole' | 'starts';
        case?: 'true' | 'false';
        limit?: Parameters['Limit4'];
        cursor?: string;
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['FoundPage'];
          'application/x-ndjson': unknown;
        };
      };
      202: components['responses']['TheValuesAreBeingComputed'];
    };
  };
  getWorkbooksEdge: {
    parameters: {
      query: {
        cell: string;
        sheet?: string;
        direction: 'up' | 'down' | 'left' | 'right';
        ref?: Parameters['Ref'];
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: { content: { 'application/json': Schemas['Edge'] } };
    };
  };
  postWorkbooksScenario: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody: { content: { 'application/json': Schemas['ScenarioRequest'] } };
    responses: {
      200: { content: { 'application/json': Schemas['Scenario'] } };
    };
  };
  getWorkbooksFormats: {
    parameters: {
      query: {
        ref?: string;
        range: Parameters['Range'];
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: { content: { 'application/json': Schemas['Formats'] } };
    };
  };
  getWorkbooksBlame: {
    parameters: {
      query: {
        ref?: string;
        range: string;
        cursor?: string;
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: { content: { 'application/json': Schemas['BlamePage'] } };
    };
  };
  postWorkbooksBranchesTables: {
    parameters: {
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
      };
    };
    requestBody: { content: { 'application/json': Schemas['TableCreation'] } };
    responses: {
      201: { content: { 'application/json': Schemas['PostWorkbooksBranchesTables'] } };
    };
  };
  getWorkbooksTables: {
    parameters: {
      query?: {
        ref?: Parameters['Ref'];
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: { content: { 'application/json': Schemas['GetWorkbooksTables'] } };
    };
  };
  getWorkbooksTablesById: {
    parameters: {
      query?: {
        ref?: Parameters['Ref'];
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: {
        id: Parameters['Id'];
        tid: Parameters['Tid'];
      };
    };
    responses: {
      200: { content: { 'application/json': Schemas['GetWorkbooksTablesById'] } };
    };
  };
  deleteWorkbooksBranchesTablesById: {
    parameters: {
      query?: {
        ifUnused?: 'true' | 'false';
        keepCells?: 'true' | 'false';
        writer?: Parameters['Writer'];
      };
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
        tid: Parameters['Tid'];
      };
    };
    responses: {
      200: { content: { 'application/json': Schemas['DeleteWorkbooksBranchesTablesById'] } };
    };
  };
  patchWorkbooksBranchesTablesById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
        tid: Parameters['Tid'];
      };
    };
    requestBody: { content: { 'application/json': Schemas['TableChanges'] } };
    responses: {
      200: { content: { 'application/json': Schemas['PatchWorkbooksBranchesTablesById'] } };
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
        writer?: Parameters['Writer'];
        id?: string;
      };
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
        tid: Parameters['Tid'];
      };
    };
    requestBody: {
      content: {
        'application/json': Schemas['RowsWrite'];
        'application/x-ndjson': unknown;
        'text/csv': unknown;
      };
    };
    responses: {
      200: { content: { 'application/json': Schemas['RowsWritten'] } };
      202: { content: { 'application/json': Schemas['RowWrite'] } };
    };
  };
  getWorkbooksRowWritesById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        wid: Parameters['Wid'];
      };
    };
    responses: { 200: components['responses']['TheWrite'] };
  };
  deleteWorkbooksRowWritesById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        wid: Parameters['Wid'];
      };
    };
    responses: { 200: components['responses']['TheWrite'] };
  };
  getWorkbooksTablesRows: {
    parameters: {
      query?: {
        ref?: Parameters['Ref'];
        columns?: string[];
        order?: string[];
        where?: string;
        keys?: string[];
        after?: string;
        offset?: Parameters['Offset'];
        limit?: Parameters['Limit'];
        whole?: 'true' | 'false';
        as?: 'objects' | 'lists' | 'columns';
        lens?: 'value' | 'input' | 'formula' | 'formatted';
        escape?: 'excel' | 'none';
        group?: string[];
        count?: string[];
        sum?: string[];
        average?: string[];
        min?: string[];
        max?: string[];
        distinct?: string[];
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: {
        id: Parameters['Id'];
        tid: Parameters['Tid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['GetWorkbooksTablesRows'];
          'application/x-ndjson': unknown;
          'text/csv': unknown;
          'application/vnd.apache.arrow.stream': unknown;
        };
      };
    };
  };
  getWorkbooksDiff: {
    parameters: {
      query: {
        from: string;
        to?: Parameters['To'];
        values?: Parameters['Values'];
        sheet?: Parameters['Sheet'];
        kinds?: Parameters['Kinds'];
        format?: Parameters['Format'];
        offset?: Parameters['Offset'];
        limit?: Parameters['Limit3'];
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: components['responses']['TheDifferences'];
      202: components['responses']['TheValuesAreBeingComputed'];
    };
  };
  getWorkbooksTablesChanges: {
    parameters: {
      query: {
        from: string;
        to?: Parameters['To'];
        stat?: 'true' | 'false';
        wait?: number;
        offset?: Parameters['Offset'];
        limit?: Parameters['Limit'];
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: {
        id: Parameters['Id'];
        tid: Parameters['Tid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['GetWorkbooksTablesChanges'];
          'application/x-ndjson': unknown;
          'text/event-stream': unknown;
        };
      };
    };
  };
  getWorkbooksMatches: {
    parameters: {
      query?: {
        offset?: Parameters['Offset'];
        limit?: Parameters['Limit4'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['GetWorkbooksMatches'];
          'application/x-ndjson': unknown;
        };
      };
    };
  };
  postWorkbooksMatches: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody: { content: { 'application/json': Schemas['PostWorkbooksMatches'] } };
    responses: {
      202: { content: { 'application/json': Schemas['PostWorkbooksMatches2'] } };
    };
  };
  getWorkbooksMatchesById: {
    parameters: {
      query?: {
        offset?: Parameters['Offset'];
        limit?: number;
        decision?: 'accept' | 'review' | 'reject';
      };
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['MatchPage'];
          'application/x-ndjson': unknown;
          'text/csv': unknown;
          'application/vnd.apache.arrow.stream': unknown;
        };
      };
    };
  };
  deleteWorkbooksMatchesById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    responses: { 200: components['responses']['TheMatch'] };
  };
  patchWorkbooksMatchesRows: {
    parameters: {
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    requestBody: { content: { 'application/json': Schemas['PatchWorkbooksMatchesRows'] } };
    responses: { 200: components['responses']['TheMatch'] };
  };
  postWorkbooksMatchesApply: {
    parameters: {
      path: {
        id: Parameters['Id'];
        mid: Parameters['Mid'];
      };
    };
    requestBody: { content: { 'application/json': Schemas['PostWorkbooksMatchesApply'] } };
    responses: {
      200: { content: { 'application/json': Schemas['PostWorkbooksMatchesApply2'] } };
    };
  };
  getMatchProviders: {
    responses: {
      200: { content: { 'application/json': Schemas['MatchProviders'] } };
    };
  };
  postWorkbooksTablesReconciliation: {
    parameters: {
      path: {
        id: Parameters['Id'];
        tid: Parameters['Tid'];
      };
    };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksTablesReconciliation'] } };
    responses: {
      201: { content: { 'application/json': Schemas['ReconciliationLink'] } };
    };
  };
  getWorkbooksReconciliation: {
    parameters: { path: { id: Parameters['Id'] } };
    responses: {
      200: { content: { 'application/json': Schemas['GetWorkbooksReconciliation'] } };
    };
  };
  deleteWorkbooksReconciliationById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        link: string;
      };
    };
    responses: {
      204: {};
    };
  };
  getWorkbooksSettings: {
    parameters: { path: { id: Parameters['Id'] } };
    responses: {
      200: { content: { 'application/json': Schemas['Settings'] } };
    };
  };
  putWorkbooksSettings: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody: { content: { 'application/json': Schemas['PutWorkbooksSettings'] } };
    responses: {
      200: { content: { 'application/json': Schemas['Settings'] } };
    };
  };
  postWorkbooksRestore: {
    parameters: { path: { id: Parameters['Id'] } };
    responses: { 200: components['responses']['TheWorkbook'] };
  };
  postWorkbooksWake: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksWake'] } };
    responses: {
      200: { content: { 'application/json': Schemas['HotWorkbook'] } };
      202: { content: { 'application/json': Schemas['PostWorkbooksWake2'] } };
    };
  };
  postWorkbooksTopology: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksTopology'] } };
    responses: {
      200: { content: { 'application/json': Schemas['Topology'] } };
    };
  };
  getWorkbooksWs: {
    parameters: {
      query?: {
        branch?: string;
        ticket?: string;
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: never;
  };
  postWorkbooksWsTicket: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksWsTicket'] } };
    responses: {
      201: { content: { 'application/json': Schemas['WebsocketTicket'] } };
    };
  };
  getWorkbooksBranchesEvents: {
    parameters: {
      query?: {
        after?: number;
        cells?: 'all' | 'none';
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: {
        id: Parameters['Id'];
        branch: Parameters['Branch'];
      };
    };
    responses: {
      200: { content: { 'text/event-stream': unknown } };
    };
  };
  getWorkbooksWebhooks: {
    parameters: { path: { id: Parameters['Id'] } };
    responses: {
      200: { content: { 'application/json': Schemas['Webhooks'] } };
    };
  };
  postWorkbooksWebhooks: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody: { content: { 'application/json': Schemas['PostWorkbooksWebhooks'] } };
    responses: {
      201: { content: { 'application/json': Schemas['CreatedWebhook'] } };
    };
  };
  getWorkbooksWebhooksById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        webhook: Parameters['Webhook2'];
      };
    };
    responses: {
      200: { content: { 'application/json': Schemas['WebhookWithDeliveries'] } };
    };
  };
  deleteWorkbooksWebhooksById: {
    parameters: {
      path: {
        id: Parameters['Id'];
        webhook: Parameters['Webhook2'];
      };
    };
    responses: {
      204: {};
    };
  };
  postWorkbooksWebhooksReplay: {
    parameters: {
      path: {
        id: Parameters['Id'];
        webhook: Parameters['Webhook2'];
      };
    };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksWebhooksReplay'] } };
    responses: {
      202: { content: { 'application/json': Schemas['WebhookReplay'] } };
    };
  };
  getWorkbooksRecords: {
    parameters: {
      query?: {
        ref?: Parameters['Ref'];
        types?: string;
        sheet?: string;
        range?: string;
        offset?: Parameters['Offset'];
        limit?: Parameters['Limit'];
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['RecordsPage'];
          'application/x-ndjson': unknown;
        };
      };
    };
  };
  postWorkbooksVerify: {
    parameters: { path: { id: Parameters['Id'] } };
    requestBody?: { content: { 'application/json': Schemas['PostWorkbooksVerify'] } };
    responses: {
      200: { content: { 'application/json': Schemas['Verification'] } };
    };
  };
  getTlogCheckpoint: {
    responses: {
      200: { content: { 'text/plain': unknown } };
    };
  };
  getTlogTileById: {
    parameters: { path: { rest: Parameters['Rest'] } };
    responses: { 200: components['responses']['ItsBytes'] };
  };
  getTlogPastById: {
    parameters: { path: { rest: Parameters['Rest'] } };
    responses: { 200: components['responses']['ItsBytes'] };
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
          'application/json': Schemas['InclusionProof'];
          'application/vnd.c2sp.tlog-proof': unknown;
        };
      };
      202: { content: { 'application/json': Schemas['GetTlogProof'] } };
    };
  };
  postTlogProofs: {
    requestBody: { content: { 'application/json': Schemas['PostTlogProofs'] } };
    responses: {
      200: { content: { 'application/json': Schemas['PostTlogProofs2'] } };
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
      200: { content: { 'application/json': Schemas['GetTlogConsistency'] } };
    };
  };
  getTlogStatus: {
    responses: {
      200: { content: { 'application/json': Schemas['LogStatus'] } };
    };
  };
  getTlogPolicy: {
    responses: {
      200: { content: { 'text/plain': unknown } };
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
        minSeq?: Parameters['MinSeq'];
        consistency?: Parameters['Consistency'];
      };
      path: { id: Parameters['Id'] };
    };
    responses: {
      200: {
        content: {
          'application/json': Schemas['GetWorkbooksProofs'];
          'application/x-ndjson': unknown;
          'application/x-tar': unknown;
          'application/vnd.c2sp.tlog-proof': unknown;
        };
      };
      202: { content: { 'application/json': Schemas['GetTlogProof'] } };
    };
  };
  getAccountUsage: {
    responses: {
      200: { content: { 'application/json': Schemas['Usage'] } };
    };
  };
  getMcp: {
    responses: {
      200: { content: { 'text/event-stream': unknown } };
    };
  };
  postMcp: {
    requestBody: { content: { 'application/json': Schemas['McpMessage'] } };
    responses: {
      200: {
        content: {
          'application/json': Schemas['McpAnswer'];
          'text/event-stream': unknown;
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
      200: { content: { 'application/json': Schemas['GetHealth'] } };
    };
  };
  getReady: {
    responses: {
      200: { content: { 'application/json': Schemas['GetReady'] } };
    };
  };
  getMetrics: {
    responses: {
      200: { content: { 'text/plain': unknown } };
    };
  };
  postAgentAuth: {
    requestBody: { content: { 'application/json': Schemas['PostAgentAuth'] } };
    responses: {
      200: { content: { 'application/json': Schemas['PostAgentAuth2'] } };
    };
  };
  postAgentAuthClaim: {
    requestBody: { content: { 'application/json': Schemas['PostAgentAuthClaim'] } };
    responses: {
      200: { content: { 'application/json': Schemas['PostAgentAuthClaim2'] } };
    };
  };
  postAgentAuthClaimComplete: {
    requestBody: { content: { 'application/json': Schemas['PostAgentAuthClaimComplete'] } };
    responses: {
      200: { content: { 'application/json': Schemas['PostAgentAuthClaimComplete2'] } };
    };
  };
  getAgentAuthMe: {
    responses: {
      200: { content: { 'application/json': Schemas['GetAgentAuthMe'] } };
    };
  };
  postAgentAuthRotate: {
    responses: {
      200: { content: { 'application/json': Schemas['PostAgentAuthRotate'] } };
    };
  };
  postAgentAuthRevoke: {
    requestBody?: { content: { 'application/json': Schemas['PostAgentAuthRevoke'] } };
    responses: {
      200: { content: { 'application/json': Schemas['PostAgentAuthRevoke2'] } };
    };
  };
  getWellKnownOauthProtectedResource: {
    responses: {
      200: { content: { 'application/json': unknown } };
    };
  };
  getWellKnownOauthProtectedResourceMcp: {
    responses: {
      200: { content: { 'application/json': unknown } };
    };
  };
  getWellKnownOauthAuthorizationServer: {
    responses: {
      200: { content: { 'application/json': unknown } };
    };
  };
  getAuthMd: {
    responses: {
      200: { content: { 'text/markdown': unknown } };
    };
  };
  getLlmsTxt: {
    responses: {
      200: { content: { 'text/plain': unknown } };
    };
  };
  get: {
    responses: {
      200: { content: { 'application/json': unknown } };
      303: {};
    };
  };
  getWellKnownSecurityTxt: {
    responses: {
      200: { content: { 'text/plain': unknown } };
    };
  };
  postOauth2Token: {
    requestBody: { content: { 'application/x-www-form-urlencoded': unknown } };
    responses: {
      200: {};
    };
  };
  postOauth2Revoke: {
    requestBody: { content: { 'application/x-www-form-urlencoded': unknown } };
    responses: {
      200: {};
    };
  };
  postOauth2Introspect: {
    requestBody: { content: { 'application/x-www-form-urlencoded': unknown } };
    responses: {
      200: {};
    };
  };
  postOauth2Register: {
    requestBody: { content: { 'application/json': Schemas['PostOauth2Register'] } };
    responses: {
      201: {};
    };
  };
  getOpenapiJson: {
    responses: {
      200: { content: { 'application/json': unknown } };
    };
  };
  getDocs: {
    responses: {
      200: { content: { 'text/html': unknown } };
    };
  };
  getDocsById: {
    parameters: { path: { page: string } };
    responses: {
      200: { content: { 'text/markdown': unknown } };
    };
  };
  getProblemsById: {
    parameters: { path: { code: string } };
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
