// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

// A smart account of one owner, and the factory that makes one at an address that is known before: what a wallet meets on a chain, as far
// as activations need it.

contract SmartAccount {
    address public owner; // 0

    error NotOwner();
    error Failed();

    constructor(address first) { owner = first; }

    receive() external payable {}

    /// What ERC-1271 asks: whether the owner's key made this signature.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        bytes32 r = bytes32(signature[0:32]);
        uint256 s = uint256(bytes32(signature[32:64]));
        uint8 v = uint8(signature[64]);
        if (s > 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0) return 0xffffffff;
        address by = ecrecover(digest, v < 27 ? v + 27 : v, r, bytes32(s));
        return by != address(0) && by == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function execute(address to, uint256 value, bytes calldata data) external {
        if (msg.sender != owner) revert NotOwner();
        (bool done, ) = to.call{value: value}(data);
        if (!done) revert Failed();
    }
}

contract SmartAccountFactory {
    event AccountCreated(address indexed account, address indexed owner, uint256 salt);

    /// Makes the owner's account, or gives the one that is there.
    function createAccount(address owner, uint256 salt) external returns (address account) {
        account = getAddress(owner, salt);
        if (account.code.length == 0) {
            require(address(new SmartAccount{salt: bytes32(salt)}(owner)) == account);
            emit AccountCreated(account, owner, salt);
        }
    }

    function getAddress(address owner, uint256 salt) public view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(SmartAccount).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}
