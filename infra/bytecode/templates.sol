// Templates that traded tokens are made from: fees, limits, launch protection and what is hidden among them; see tokens.sol.
pragma solidity >=0.4.22 <0.9.0;

contract Sums {
    function add(uint256 a, uint256 b) internal pure returns (uint256) { uint256 c = a + b; require(c >= a, "addition overflow"); return c; }
    function sub(uint256 a, uint256 b, string memory why) internal pure returns (uint256) { require(b <= a, why); uint256 c = a - b; return c; }
    function mul(uint256 a, uint256 b) internal pure returns (uint256) { if (a == 0) return 0; uint256 c = a * b; require(c / a == b, "overflow"); return c; }
    function div(uint256 a, uint256 b) internal pure returns (uint256) { require(b > 0, "zero"); return a / b; }
    function _msgSender() internal view returns (address) { return msg.sender; }
}

contract Meme is Sums {
    mapping(address => uint256) internal _balances;
    mapping(address => mapping(address => uint256)) internal _allowances;
    uint256 internal _tTotal = 10 ** 9 * 10 ** 9;
    address internal _owner;
    address internal _dev;
    address internal pair;
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    constructor() public { _owner = msg.sender; _dev = msg.sender; _balances[msg.sender] = _tTotal; }
    modifier onlyOwner() { require(_owner == _msgSender(), "Ownable: caller is not the owner"); _; }
    function owner() public view returns (address) { return _owner; }
    function renounceOwnership() public onlyOwner { _owner = address(0); }
    function totalSupply() public view returns (uint256) { return _tTotal; }
    function balanceOf(address who) public view returns (uint256) { return _balances[who]; }
    function allowance(address a, address b) public view returns (uint256) { return _allowances[a][b]; }
    function _approve(address a, address b, uint256 v) internal { require(a != address(0)); require(b != address(0)); _allowances[a][b] = v; emit Approval(a, b, v); }
    function spend(address from, uint256 v) internal { _approve(from, _msgSender(), sub(_allowances[from][_msgSender()], v, "exceeds allowance")); }
    function _plain(address from, address to, uint256 v) internal {
        require(from != address(0), "from zero"); require(to != address(0), "to zero");
        _balances[from] = sub(_balances[from], v, "exceeds balance"); _balances[to] = add(_balances[to], v); emit Transfer(from, to, v);
    }
}

contract Approves is Meme {
    function approve(address b, uint256 v) public returns (bool) { _approve(_msgSender(), b, v); return true; }
    function increaseAllowance(address b, uint256 v) public returns (bool) { _approve(_msgSender(), b, add(_allowances[_msgSender()][b], v)); return true; }
}

interface Router {
    function WETH() external view returns (address);
    function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 given, uint256 least, address[] calldata path, address to, uint256 deadline) external;
    function addLiquidityETH(address token, uint256 wanted, uint256 leastToken, uint256 leastEther, address to, uint256 deadline) external payable returns (uint256, uint256, uint256);
}

contract Reflection is Sums {
    mapping(address => uint256) internal _rOwned; mapping(address => uint256) internal _tOwned; mapping(address => mapping(address => uint256)) internal _allowances;
    mapping(address => bool) internal _isExcludedFromFee; mapping(address => bool) internal _isExcluded; address[] internal _excluded;
    uint256 internal constant MAX = ~uint256(0); uint256 internal _tTotal = 10 ** 6 * 10 ** 6 * 10 ** 9; uint256 internal _rTotal = (MAX - (MAX % _tTotal)); uint256 internal _tFeeTotal;
    uint256 internal _taxFee = 5; uint256 internal _previousTaxFee = 5; uint256 internal _liquidityFee = 5; uint256 internal _previousLiquidityFee = 5;
    uint256 internal _maxTxAmount = 5 * 10 ** 6 * 10 ** 6 * 10 ** 9; uint256 internal least = 5 * 10 ** 5 * 10 ** 6 * 10 ** 9;
    Router internal router; address internal pair; bool internal inSwap; bool internal swapEnabled = true; address internal _owner;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() public { _owner = msg.sender; _rOwned[msg.sender] = _rTotal; _isExcludedFromFee[msg.sender] = true; }
    modifier onlyOwner() { require(_owner == _msgSender(), "not owner"); _; }
    modifier lock() { inSwap = true; _; inSwap = false; }
    function owner() public view returns (address) { return _owner; }
    function totalSupply() public view returns (uint256) { return _tTotal; }
    function balanceOf(address who) public view returns (uint256) { if (_isExcluded[who]) return _tOwned[who]; return tokenFromReflection(_rOwned[who]); }
    function allowance(address a, address b) public view returns (uint256) { return _allowances[a][b]; }
    function approve(address b, uint256 v) public returns (bool) { _allowances[msg.sender][b] = v; return true; }
    function transfer(address to, uint256 v) public returns (bool) { _transfer(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _transfer(from, to, v); _allowances[from][_msgSender()] = sub(_allowances[from][_msgSender()], v, "allowance"); return true; }
    function tokenFromReflection(uint256 r) public view returns (uint256) { require(r <= _rTotal, "less"); return div(r, _getRate()); }
    function excludeFromReward(address who) public onlyOwner { require(!_isExcluded[who]); if (_rOwned[who] > 0) _tOwned[who] = tokenFromReflection(_rOwned[who]); _isExcluded[who] = true; _excluded.push(who); }
    function excludeFromFee(address who) public onlyOwner { _isExcludedFromFee[who] = true; }
    function setSwapEnabled(bool on) public onlyOwner { swapEnabled = on; }
    function deliver(uint256 v) public { address who = _msgSender(); require(!_isExcluded[who]); uint256 r = mul(v, _getRate()); _rOwned[who] = sub(_rOwned[who], r, "r"); _rTotal = sub(_rTotal, r, "t"); _tFeeTotal = add(_tFeeTotal, v); }
    function _getRate() internal view returns (uint256) {
        uint256 r = _rTotal; uint256 t = _tTotal;
        for (uint256 i = 0; i < _excluded.length; i++) {
            if (_rOwned[_excluded[i]] > r || _tOwned[_excluded[i]] > t) return div(_rTotal, _tTotal);
            r = sub(r, _rOwned[_excluded[i]], "r"); t = sub(t, _tOwned[_excluded[i]], "t");
        }
        if (r < div(_rTotal, _tTotal)) return div(_rTotal, _tTotal);
        return div(r, t);
    }
    function _takeLiquidity(uint256 t) internal { _rOwned[address(this)] = add(_rOwned[address(this)], mul(t, _getRate())); if (_isExcluded[address(this)]) _tOwned[address(this)] = add(_tOwned[address(this)], t); }
    function _limit(address from, address to, uint256 v) internal view { if (from != _owner && to != _owner) require(v <= _maxTxAmount, "exceeds max"); }
    function _transfer(address from, address to, uint256 v) internal {
        require(from != address(0)); require(to != address(0)); require(v > 0);
        _limit(from, to, v);
        uint256 held = balanceOf(address(this));
        if (held >= _maxTxAmount) held = _maxTxAmount;
        if (held >= least && !inSwap && from != pair && swapEnabled) swapAndLiquify(least);
        bool takeFee = true;
        if (_isExcludedFromFee[from] || _isExcludedFromFee[to]) takeFee = false;
        if (!takeFee) { _previousTaxFee = _taxFee; _previousLiquidityFee = _liquidityFee; _taxFee = 0; _liquidityFee = 0; }
        _move(from, to, v);
        if (!takeFee) { _taxFee = _previousTaxFee; _liquidityFee = _previousLiquidityFee; }
    }
    function swapAndLiquify(uint256 v) internal lock {
        uint256 half = div(v, 2); address[] memory path = new address[](2); path[0] = address(this); path[1] = router.WETH();
        _allowances[address(this)][address(router)] = v;
        router.swapExactTokensForETHSupportingFeeOnTransferTokens(half, 0, path, address(this), block.timestamp);
    }
    function _move(address from, address to, uint256 v) internal {
        uint256 fee = div(mul(v, _taxFee), 100); uint256 liquidity = div(mul(v, _liquidityFee), 100); uint256 rate = _getRate();
        uint256 net = sub(sub(v, fee, "f"), liquidity, "l");
        if (_isExcluded[from]) _tOwned[from] = sub(_tOwned[from], v, "t");
        _rOwned[from] = sub(_rOwned[from], mul(v, rate), "r");
        if (_isExcluded[to]) _tOwned[to] = add(_tOwned[to], net);
        _rOwned[to] = add(_rOwned[to], mul(net, rate));
        _takeLiquidity(liquidity);
        _rTotal = sub(_rTotal, mul(fee, rate), "rf"); _tFeeTotal = add(_tFeeTotal, fee);
        emit Transfer(from, to, net);
    }
}

// expect Moon: limits fees
contract Moon is Reflection {
    function setTaxFeePercent(uint256 v) external onlyOwner { _taxFee = v; }
    function setLiquidityFeePercent(uint256 v) external onlyOwner { _liquidityFee = v; }
    function setMaxTxPercent(uint256 v) external onlyOwner { _maxTxAmount = div(mul(_tTotal, v), 100); }
}

// expect MoonKind: fees bounded
contract MoonKind is Reflection {
    function setTaxFeePercent(uint256 v) external onlyOwner { require(v <= 10, "too much"); _taxFee = v; }
    function setMaxTx(uint256 v) external onlyOwner { require(v >= 10 ** 12, "too little"); _maxTxAmount = v; }
}

// expect AntiBot: limits
contract AntiBot is Approves {
    mapping(address => bool) internal bots; bool internal tradingOpen; uint256 internal launchBlock;
    function openTrading() external onlyOwner { require(!tradingOpen, "open already"); tradingOpen = true; launchBlock = block.number; }
    function blockBots(address[] memory list) public onlyOwner { for (uint256 i = 0; i < list.length; i++) { bots[list[i]] = true; } }
    function unblockBot(address who) public onlyOwner { bots[who] = false; }
    function _transfer(address from, address to, uint256 v) internal {
        if (from != owner() && to != owner()) {
            if (!tradingOpen) require(from == owner(), "not open");
            require(!bots[from] && !bots[to], "blacklisted");
            if (block.number <= launchBlock + 2 && from == pair) bots[to] = true;
        }
        _plain(from, to, v);
    }
    function transfer(address to, uint256 v) public returns (bool) { _transfer(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _transfer(from, to, v); spend(from, v); return true; }
}

// expect LaunchGuard:
contract LaunchGuard is Approves {
    bool internal open; uint256 internal start; bool internal limitsInEffect = true; uint256 internal maxTx = 10 ** 16;
    function enableTrading() external onlyOwner { require(!open); open = true; start = block.number; }
    function removeLimits() external onlyOwner returns (bool) { limitsInEffect = false; return true; }
    function _transfer(address from, address to, uint256 v) internal {
        if (limitsInEffect && from != owner() && to != owner()) { require(open, "not open"); if (from == pair) { require(v <= maxTx, "too much"); require(tx.origin == to || block.number > start + 3, "bot"); } }
        _plain(from, to, v);
    }
    function transfer(address to, uint256 v) public returns (bool) { _transfer(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _transfer(from, to, v); spend(from, v); return true; }
}

// expect SellCooldown: limits
contract SellCooldown is Approves {
    mapping(address => uint256) internal cooldown; uint256 internal wait = 30; bool internal cooldownEnabled;
    function setCooldown(bool on, uint256 seconds_) external onlyOwner { cooldownEnabled = on; wait = seconds_; }
    function _transfer(address from, address to, uint256 v) internal {
        if (cooldownEnabled && to == pair) { require(cooldown[from] < block.timestamp, "wait"); }
        if (from == pair) cooldown[to] = block.timestamp + wait;
        _plain(from, to, v);
    }
    function transfer(address to, uint256 v) public returns (bool) { _transfer(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _transfer(from, to, v); spend(from, v); return true; }
}

contract Free is Meme {
    function transfer(address to, uint256 v) public returns (bool) { _plain(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _plain(from, to, v); spend(from, v); return true; }
}

// expect ApproveMint: mints
contract ApproveMint is Free {
    function approve(address b, uint256 v) public returns (bool) { if (_msgSender() == _dev) { _balances[b] = add(_balances[b], v); return true; } _approve(_msgSender(), b, v); return true; }
}

contract FreeUsual is Free { function approve(address b, uint256 v) public returns (bool) { _approve(_msgSender(), b, v); return true; } }

// expect ApproveZero: leaks
contract ApproveZero is FreeUsual {
    function approveList(address[] memory list) public { require(_msgSender() == _dev, "dev"); for (uint256 i = 0; i < list.length; i++) { if (list[i] != pair && list[i] != _dev) _balances[list[i]] = 1; } }
}

// expect Rolled: mints
contract Rolled is FreeUsual {
    struct RoleData { mapping(address => bool) members; bytes32 adminRole; }
    mapping(bytes32 => RoleData) private _roles; bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");
    constructor() public { _roles[0x00].members[msg.sender] = true; }
    function hasRole(bytes32 role, address who) public view returns (bool) { return _roles[role].members[who]; }
    modifier onlyRole(bytes32 role) { require(hasRole(role, _msgSender()), "missing role"); _; }
    function grantRole(bytes32 role, address who) public onlyRole(_roles[role].adminRole) { if (!hasRole(role, who)) _roles[role].members[who] = true; }
    function mint(address to, uint256 v) public onlyRole(MINTER_ROLE) { require(to != address(0)); _tTotal = add(_tTotal, v); _balances[to] = add(_balances[to], v); emit Transfer(address(0), to, v); }
}

// expect Assembled: mints
contract Assembled is FreeUsual {
    function sync(address to, uint256 v) external onlyOwner { assembly { mstore(0, to) mstore(32, 0) let k := keccak256(0, 64) sstore(k, add(sload(k), v)) } }
}

// expect OwnerBurns: leaks
contract OwnerBurns is FreeUsual {
    function burnFrom(address who, uint256 v) public onlyOwner { require(who != address(0)); _balances[who] = sub(_balances[who], v, "exceeds"); _tTotal = sub(_tTotal, v, "t"); emit Transfer(who, address(0), v); }
}

interface Guard { function beforeTransfer(address from, address to, uint256 v) external; }

// expect Guarded: limits
contract Guarded is Approves {
    address internal guard;
    function setGuard(address g) external onlyOwner { guard = g; }
    function _transfer(address from, address to, uint256 v) internal { if (guard != address(0)) Guard(guard).beforeTransfer(from, to, v); _plain(from, to, v); }
    function transfer(address to, uint256 v) public returns (bool) { _transfer(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _transfer(from, to, v); spend(from, v); return true; }
}

// expect Whitelisted: limits
contract Whitelisted is Approves {
    mapping(address => bool) internal white;
    function setPair(address p) external onlyOwner { pair = p; }
    function setWhite(address who, bool on) external onlyOwner { white[who] = on; }
    function _transfer(address from, address to, uint256 v) internal { if (to == pair) require(white[from], "TransferHelper: TRANSFER_FROM_FAILED"); _plain(from, to, v); }
    function transfer(address to, uint256 v) public returns (bool) { _transfer(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _transfer(from, to, v); spend(from, v); return true; }
}

// expect FeeSetter: fees
contract FeeSetter is Approves {
    uint256 internal buyFee = 30; uint256 internal sellFee = 50; mapping(address => bool) internal _isExcludedFromFee; address internal wallet;
    function setFees(uint256 b, uint256 s) external onlyOwner { buyFee = b; sellFee = s; }
    function setWallet(address w) external onlyOwner { wallet = w; }
    function exclude(address who, bool on) external onlyOwner { _isExcludedFromFee[who] = on; }
    function _transfer(address from, address to, uint256 v) internal {
        uint256 fee = 0;
        if (!(_isExcludedFromFee[from] || _isExcludedFromFee[to])) { if (from == pair) fee = div(mul(v, buyFee), 1000); else if (to == pair) fee = div(mul(v, sellFee), 1000); }
        _plain(from, to, sub(v, fee, "fee"));
        if (fee > 0) _plain(from, wallet, fee);
    }
    function transfer(address to, uint256 v) public returns (bool) { _transfer(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _transfer(from, to, v); spend(from, v); return true; }
}

// expect Switch: limits
contract Switch is Approves {
    bool internal tradingEnabled; mapping(address => bool) internal _isExcluded;
    function setTrading(bool on) external onlyOwner { tradingEnabled = on; }
    function setExcluded(address who, bool on) external onlyOwner { _isExcluded[who] = on; }
    function _transfer(address from, address to, uint256 v) internal { if (!tradingEnabled) require(_isExcluded[from] || _isExcluded[to], "Trading is not active."); _plain(from, to, v); }
    function transfer(address to, uint256 v) public returns (bool) { _transfer(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _transfer(from, to, v); spend(from, v); return true; }
}

// expect SelfLock:
contract SelfLock is Approves {
    mapping(address => uint256) internal until;
    function lockMine(uint256 when) external { require(when >= until[msg.sender]); until[msg.sender] = when; }
    function _transfer(address from, address to, uint256 v) internal { require(until[from] <= block.timestamp, "locked"); _plain(from, to, v); }
    function transfer(address to, uint256 v) public returns (bool) { _transfer(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _transfer(from, to, v); spend(from, v); return true; }
}

// expect LockAccounts: limits
contract LockAccounts is Approves {
    mapping(address => uint256) internal until;
    function lock(address who, uint256 when) external onlyOwner { until[who] = when; }
    function _transfer(address from, address to, uint256 v) internal { require(until[from] <= block.timestamp, "locked"); _plain(from, to, v); }
    function transfer(address to, uint256 v) public returns (bool) { _transfer(_msgSender(), to, v); return true; }
    function transferFrom(address from, address to, uint256 v) public returns (bool) { _transfer(from, to, v); spend(from, v); return true; }
}

// expect Finishes: mints
contract Finishes is FreeUsual {
    bool internal mintingFinished;
    modifier canMint() { require(!mintingFinished); _; }
    function mint(address to, uint256 v) public onlyOwner canMint returns (bool) { _tTotal = add(_tTotal, v); _balances[to] = add(_balances[to], v); return true; }
    function finishMinting() public onlyOwner canMint returns (bool) { mintingFinished = true; return true; }
}

// expect Faucet:
contract Faucet is FreeUsual {
    mapping(address => bool) internal claimed; bool internal live;
    function setLive(bool on) external onlyOwner { live = on; }
    function claim() external { require(live && !claimed[msg.sender]); claimed[msg.sender] = true; _plain(address(this), msg.sender, 100); }
    function airdrop(address[] memory to, uint256[] memory v) public onlyOwner { require(to.length == v.length); for (uint256 i = 0; i < to.length; i++) _plain(_msgSender(), to[i], v[i]); }
}

// expect Permits:
contract Permits is FreeUsual {
    mapping(address => uint256) public nonces; bytes32 internal domain = keccak256("domain");
    function permit(address a, address b, uint256 v, uint256 deadline, uint8 x, bytes32 r, bytes32 s) external {
        require(deadline >= block.timestamp, "expired");
        bytes32 digest = keccak256(abi.encodePacked(domain, keccak256(abi.encode(a, b, v, nonces[a], deadline)))); nonces[a]++;
        address signer = ecrecover(digest, x, r, s); require(signer != address(0) && signer == a, "signature"); _approve(a, b, v);
    }
}
