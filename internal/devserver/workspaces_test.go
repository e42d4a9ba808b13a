// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver_test

import (
	"net/http"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const tidepool = `{"workspace":{"id":"ws_tidepool02","createdAt":"2026-02-27T19:03:58.120Z",` +
	`"updatedAt":"2026-02-27T19:03:58.120Z","lastActivityAt":"2026-02-27T19:03:58.120Z","name":"Tidepool Studio",` +
	`"icon":null,"slug":null,"plan":"FREE","paymentsId":null,"isQuarantined":false,"isSuspended":false,` +
	`"isPastDue":false,"isVerified":null,"billingCycleStart":null,"paymentFailedAt":null,"paymentsConnectId":null,` +
	`"chatUsage":0,"redeemedCoupons":null,"extras":[],"addons":[]}}`

const larkspur = `{"workspace":{"id":"ws_larkspur01","createdAt":"2023-04-11T08:15:27.412Z",` +
	`"updatedAt":"2026-03-17T16:42:05.003Z","lastActivityAt":"2026-03-18T09:12:44.870Z","name":"Larkspur Bicycles",` +
	`"icon":"https://cdn.larkspur-bicycles.example/brand/icon-128.png","slug":"larkspur","plan":"PRO",` +
	`"paymentsId":"cus_Lk7Qd2Wm9x","isQuarantined":false,"isSuspended":false,"isPastDue":true,"isVerified":true,` +
	`"billingCycleStart":11,"paymentFailedAt":"2026-03-11T00:04:19.000Z","paymentsConnectId":"acct_1Kf0Zt8Lrk",` +
	`"chatUsage":1843.5,"redeemedCoupons":"WELCOME-2023, SPRING-2024","extras":["custom-domain","white-label"],` +
	`"addons":["extra-seats-5","messaging-chats-500"]}}`

func badRequestBody(issues string) string {
	return `{"code":"BAD_REQUEST","message":"Invalid input data","issues":[` + issues + `]}`
}

func TestGetWorkspace(t *testing.T) {
	t.Parallel()
	baseURL := start(t)

	for _, test := range []struct {
		target string
		status int
		body   string
	}{
		{"ws_larkspur01", http.StatusOK, larkspur},
		{"larkspur", http.StatusOK, larkspur},
		{"ws_tidepool02", http.StatusOK, tidepool},
		{"ws_tidepool02?getDefault=true", http.StatusOK, tidepool},
		{"null", http.StatusNotFound, notFoundBody},
	} {
		t.Run(test.target, func(t *testing.T) {
			t.Parallel()
			expect(t, get(t, baseURL+"/v1/workspaces/"+test.target, devserver.TokenRead), test.status, test.body)
		})
	}
}
