package samplemarket

import "strconv"

type goplusAddressInfo struct {
	ContractName      *string  `json:"contract_name"`
	Tag               *string  `json:"tag"`
	CreatorAddress    string   `json:"creator_address"`
	DeployedTime      int64    `json:"deployed_time"`
	IsContract        int      `json:"is_contract"`
	IsOpenSource      int      `json:"is_open_source"`
	TrustList         int      `json:"trust_list"`
	DoubtList         int      `json:"doubt_list"`
	MaliciousBehavior []string `json:"malicious_behavior"`
}

type goplusApproved struct {
	ApprovedContract    string            `json:"approved_contract"`
	ApprovedAmount      string            `json:"approved_amount"`
	ApprovedTime        int64             `json:"approved_time"`
	InitialApprovalTime int64             `json:"initial_approval_time"`
	Hash                string            `json:"hash"`
	InitialApprovalHash string            `json:"initial_approval_hash"`
	AddressInfo         goplusAddressInfo `json:"address_info"`
}

type goplusApproval struct {
	TokenAddress      string           `json:"token_address"`
	ChainID           string           `json:"chain_id"`
	TokenName         string           `json:"token_name"`
	TokenSymbol       string           `json:"token_symbol"`
	Decimals          int              `json:"decimals"`
	Balance           string           `json:"balance"`
	IsOpenSource      int              `json:"is_open_source"`
	MaliciousAddress  int              `json:"malicious_address"`
	MaliciousBehavior []string         `json:"malicious_behavior"`
	ApprovedList      []goplusApproved `json:"approved_list"`
}

type goplusCollectible struct {
	NFTAddress        string           `json:"nft_address"`
	ChainID           string           `json:"chain_id"`
	NFTName           string           `json:"nft_name"`
	NFTSymbol         string           `json:"nft_symbol"`
	IsVerified        int              `json:"is_verified"`
	IsOpenSource      int              `json:"is_open_source"`
	MaliciousAddress  int              `json:"malicious_address"`
	MaliciousBehavior []string         `json:"malicious_behavior"`
	ApprovedList      []goplusApproved `json:"approved_list"`
}

// goplusApprovals lists a wallet's approvals by token, from its approval events alone: what was spent since still shows.
func (w *world) goplusApprovals(text string, collectibles bool) []any {
	list := []any{}
	a, _ := parseAddress(text)
	owner, known := w.byAddress[a]
	if !known {
		return list
	}
	var order []int32
	byAsset := map[int32][]goplusApproved{}
	for _, id := range w.byOwner[owner] {
		granted := &w.approvals[id]
		if granted.permit2 || granted.amount == 0 || (w.assets[granted.asset].kind == assetCollectible) != collectibles {
			continue
		}
		if byAsset[granted.asset] == nil {
			order = append(order, granted.asset)
		}
		byAsset[granted.asset] = append(byAsset[granted.asset], w.goplusApproved(granted))
	}
	for _, assetID := range order {
		asset := &w.assets[assetID]
		chain := strconv.FormatInt(w.spec.id, 10)
		if collectibles {
			list = append(list, goplusCollectible{
				NFTAddress: w.assetAddress(assetID), ChainID: chain, NFTName: asset.name, NFTSymbol: asset.symbol, IsVerified: 1, IsOpenSource: 1,
				MaliciousBehavior: []string{}, ApprovedList: byAsset[assetID],
			})
			continue
		}
		open := 1
		if asset.token >= 0 && !w.tokens[asset.token].openSource {
			open = 0
		}
		list = append(list, goplusApproval{
			TokenAddress: w.assetAddress(assetID), ChainID: chain, TokenName: asset.name, TokenSymbol: asset.symbol, Decimals: asset.decimals,
			Balance: asset.decimal(max(0, w.balance(owner, assetID))), IsOpenSource: open, MaliciousBehavior: []string{}, ApprovedList: byAsset[assetID],
		})
	}
	return list
}

func (w *world) goplusApproved(granted *approval) goplusApproved {
	at := w.start + int64(w.txs[granted.transaction].time)
	hash := hexHash(w.txHash(granted.transaction))
	amount := "Unlimited"
	if granted.amount != unlimitedAmount {
		amount = w.assets[granted.asset].decimal(granted.amount)
	}
	return goplusApproved{
		ApprovedContract: w.entities[granted.spender].address.String(), ApprovedAmount: amount, ApprovedTime: at, InitialApprovalTime: at, Hash: hash, InitialApprovalHash: hash,
		AddressInfo: w.goplusSpenderInfo(granted.spender),
	}
}

func (w *world) goplusSpenderInfo(spender int32) goplusAddressInfo {
	e := &w.entities[spender]
	info := goplusAddressInfo{CreatorAddress: w.entities[e.creator].address.String(), DeployedTime: w.start + int64(e.created), MaliciousBehavior: []string{}}
	if e.name != "" {
		info.ContractName = &e.name
	}
	if w.isContract(spender) {
		info.IsContract = 1
	}
	if e.verified && w.isContract(spender) {
		info.IsOpenSource = 1
	}
	if e.kind == kindRouter || spender == w.permit2 || spender == w.spenders.staking {
		info.TrustList = 1
		info.Tag = &e.name
	}
	if spender == w.spenders.blacklisted {
		info.DoubtList = 1
		info.MaliciousBehavior = []string{"phishing_activities", "stealing_attack"}
	}
	return info
}

// goplusSpender is the check of one contract that wants an approval.
func (w *world) goplusSpender(text string) (int, any) {
	a, _ := parseAddress(text)
	entity, known := w.byAddress[a]
	if !known || !w.isContract(entity) {
		return goplusError(2020, "non-contract address")
	}
	info := w.goplusSpenderInfo(entity)
	return goplusOK(map[string]any{
		"contract_name": info.ContractName, "tag": info.Tag, "creator_address": info.CreatorAddress, "deployed_time": info.DeployedTime, "is_contract": info.IsContract,
		"is_open_source": info.IsOpenSource, "trust_list": info.TrustList, "doubt_list": info.DoubtList, "malicious_behavior": info.MaliciousBehavior, "is_proxy": 0,
		"contract_scan": nil, "risky_approval": nil,
	})
}
