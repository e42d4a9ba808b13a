// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Every read is served as an ephemeral resource too, which reads the same and
// stores nothing. In the protocol the two kinds have the same schemas, checks
// and results: the twin of a data source is the data source under another call.

// twinDescription goes on from the description of a data source.
const twinDescription = " As an ephemeral resource it stores nothing that it reads, neither in the state nor in a plan file. " +
	"It needs Terraform 1.10 or OpenTofu 1.11."

// GetMetadata lists the twins besides what the framework lists.
func (s *server) GetMetadata(ctx context.Context, req *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	resp, err := s.ProviderServer.GetMetadata(ctx, req)
	if err != nil {
		return nil, err
	}
	for name := range s.reads {
		resp.EphemeralResources = append(resp.EphemeralResources, tfprotov6.EphemeralResourceMetadata{TypeName: name})
	}
	return resp, nil
}

// GetProviderSchema gives the twins the schemas of the data sources.
func (s *server) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	resp, err := s.ProviderServer.GetProviderSchema(ctx, req)
	if err != nil {
		return nil, err
	}
	if resp.EphemeralResourceSchemas == nil {
		resp.EphemeralResourceSchemas = map[string]*tfprotov6.Schema{}
	}
	for name := range s.reads {
		block := *resp.DataSourceSchemas[name].Block
		block.Description += twinDescription
		resp.EphemeralResourceSchemas[name] = &tfprotov6.Schema{Version: resp.DataSourceSchemas[name].Version, Block: &block}
	}
	return resp, nil
}

// ValidateEphemeralResourceConfig checks a twin as its data source.
func (s *server) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	if _, ok := s.reads[req.TypeName]; !ok {
		return s.ProviderServer.ValidateEphemeralResourceConfig(ctx, req)
	}
	resp, err := s.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: req.Config})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateEphemeralResourceConfigResponse{Diagnostics: resp.Diagnostics}, nil
}

// OpenEphemeralResource reads what a twin is asked for.
func (s *server) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	if _, ok := s.reads[req.TypeName]; !ok {
		return s.ProviderServer.OpenEphemeralResource(ctx, req)
	}
	deferrable := req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed
	answer, err := s.answer(ctx, s.reads[req.TypeName], req.Config, deferrable)
	if err != nil {
		return nil, err
	}
	return &tfprotov6.OpenEphemeralResourceResponse{
		Result: answer.State, Diagnostics: answer.Diagnostics, Deferred: answer.Deferred,
	}, nil
}

// CloseEphemeralResource has nothing to close: what was read is gone when
// Terraform forgets it.
func (s *server) CloseEphemeralResource(ctx context.Context, req *tfprotov6.CloseEphemeralResourceRequest) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	if _, ok := s.reads[req.TypeName]; !ok {
		return s.ProviderServer.CloseEphemeralResource(ctx, req)
	}
	return &tfprotov6.CloseEphemeralResourceResponse{}, nil
}
